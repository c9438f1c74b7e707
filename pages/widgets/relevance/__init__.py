"""The page Relevance: snippets, rounds, steering."""
