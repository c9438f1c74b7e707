"""Two runs, or many repeats of one, held against each other. Pure."""
