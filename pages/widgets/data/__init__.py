"""The page Data: records with their proof, and views of them."""
