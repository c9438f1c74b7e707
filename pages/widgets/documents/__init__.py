"""The page Documents and the page of one document."""
