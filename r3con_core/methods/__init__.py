"""Every method that can answer a task over documents: R3Con, and those that its paper compares it with (section 5.2).

A method is one module with a `Method` in it, and one line here. `seam` says what a method is given and gives.
"""

from r3con_core.methods.alone import ALONE
from r3con_core.methods.arag import ARAG
from r3con_core.methods.claude_code import CLAUDE_CODE
from r3con_core.methods.codeagent import CODEAGENT
from r3con_core.methods.hipporag2 import HIPPORAG2
from r3con_core.methods.linearrag import LINEARRAG
from r3con_core.methods.memagent import MEMAGENT
from r3con_core.methods.r3con import R3CON_METHODS
from r3con_core.methods.raptor import RAPTOR
from r3con_core.methods.readagent import READAGENT
from r3con_core.methods.rlm import RLM
from r3con_core.methods.seam import Method
from r3con_core.methods.structrag import STRUCTRAG
from r3con_core.methods.whole import WHOLE

METHODS: tuple[Method, ...] = (
    *R3CON_METHODS,
    WHOLE,
    ALONE,
    RAPTOR,
    READAGENT,
    MEMAGENT,
    HIPPORAG2,
    LINEARRAG,
    STRUCTRAG,
    ARAG,
    CODEAGENT,
    RLM,
    CLAUDE_CODE,
)
"""In the order they are offered."""


def method_of(method_id: str) -> Method:
    """The method of that id; KeyError where there is none."""
    return {method.id: method for method in METHODS}[method_id]


def sends_itself(method_id: str) -> tuple[str, ...]:
    """The place to which that method sends documents by itself, whatever models are chosen; none for most."""
    return tuple(method.sends_to for method in METHODS if method.id == method_id and method.sends_to)
