"""The page Question: what is asked, of whom, at what price."""
