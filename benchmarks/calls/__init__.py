"""What `model_calls.py` is made of: corpora, servers, the two sides, and the rows of the table."""
