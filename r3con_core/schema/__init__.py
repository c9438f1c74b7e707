"""What is done with a schema: edits, history, what an edit touches, other ways to write it down. Pure."""
