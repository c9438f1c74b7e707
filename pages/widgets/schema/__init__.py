"""The page Schema: its tree, edits, trials and history."""
