"""The page Answer: checks, steps, what can be taken along."""
