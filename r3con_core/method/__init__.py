"""The method, pure: what to ask, and how to read the answer. No I/O of any kind."""
