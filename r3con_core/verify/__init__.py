"""Whether a run, or a bundle of one, is still what it claims: recomputed and carried again without a model."""
