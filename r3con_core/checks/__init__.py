"""What can be checked without a model: values, names, contradictions, sentences, what was left unread. Pure."""
