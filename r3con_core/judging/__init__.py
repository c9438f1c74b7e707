"""Whether an answer is right: what a judge model is asked, how its reply is read, and what our own code decides.

Pure: nothing here knows of a store or a model. `judge` is the one conversation; `numbers` the rule that needs no model.
"""

from r3con_core.judging.asking import Case, judge
from r3con_core.judging.numbers import missing_numbers

__all__ = ["Case", "judge", "missing_numbers"]
