"""Every method that can answer a task over documents: R3Con, and those that its paper compares it with (section 5.2).

A method is one module with a `Method` in it, and one line here. `seam` says what a method is given and gives.
"""

from r3con_core.methods.alone import ALONE
from r3con_core.methods.r3con import R3CON_METHODS
from r3con_core.methods.seam import Method
from r3con_core.methods.whole import WHOLE

METHODS: tuple[Method, ...] = (
    *R3CON_METHODS,
    WHOLE,
    ALONE,
)
"""In the order they are offered."""


def method_of(method_id: str) -> Method:
    """The method of that id; KeyError where there is none."""
    return {method.id: method for method in METHODS}[method_id]
