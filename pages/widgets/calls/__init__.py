"""The page Calls, and links to it."""
