"""The page Changes."""
