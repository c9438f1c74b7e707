"""What people correct in records and names, and how it is laid over what the model said. Pure."""
