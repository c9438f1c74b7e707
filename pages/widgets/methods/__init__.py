"""The page Methods: every method on the same documents, what each built, and where facts were lost."""
