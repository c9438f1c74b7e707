"""Which records the variables of each step hold, seen by running the steps again and looking after each one.

More exact than what a step printed, and still the code's own word: what is looked at lies in the interpreter that the
code ran in. So names and labels are checked here, and nothing else is believed.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r3con_core.answers import Step
from r3con_core.exports.contents import load_contents
from r3con_core.records import StructuredData
from r3con_core.sandbox import open_sandbox
from r3con_core.stages import OpenSandbox
from r3con_core.store.project import Project

_LOOK = """
def _r3con_look():
    import json, re
    budget = [200_000]

    def labels(value, depth=0):
        budget[0] -= 1
        if budget[0] < 0 or depth > 5:
            return
        if isinstance(value, str):
            if re.fullmatch(r"R[0-9]{1,9}", value):
                yield value
        elif isinstance(value, dict):
            if isinstance(value.get("record"), str) and "document" in value:
                yield value["record"]
            else:
                for key, held in value.items():
                    yield from labels(key, depth + 1)
                    yield from labels(held, depth + 1)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for held in value:
                yield from labels(held, depth + 1)
        elif type(value).__name__ == "DataFrame" and "record" in value.columns:
            yield from labels(value["record"].tolist(), depth + 1)
        elif type(value).__name__ == "Series" and value.name == "record":
            yield from labels(value.tolist(), depth + 1)

    found = []
    for name, value in list(globals().items()):
        if not name.startswith("_") and name not in ("records", "snippets", "answer") and len(found) < 30:
            held = list(dict.fromkeys(labels(value)))
            if held:
                alone = isinstance(value, (str, dict)) and len(held) == 1
                found.append([name, held[:60], len(held), alone])
    print(json.dumps(found))


_r3con_look()
del _r3con_look
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable of a step that holds records."""

    name: str
    record_ids: tuple[str, ...]
    """The first 60 of them."""
    count: int
    """How many there are."""


def variables_of_steps(
    project: Project, run_id: str, sandbox: OpenSandbox = open_sandbox
) -> Mapping[int, tuple[Variable, ...]]:
    """Step number -> the variables that it bound or changed and that hold records, in the order they were bound.

    The steps are run again over the data as it stands; SandboxError when code cannot be run safely here, StoreError
    before there are records. The variable of a loop is left out when it holds just the last record it came to.
    """
    contents = load_contents(project, run_id)
    steps = contents.answer.steps if contents.answer else ()
    data = contents.representation().structured_data
    kept: dict[int, tuple[Variable, ...]] = {}
    before: frozenset[Variable] = frozenset()
    loops: frozenset[str] = frozenset()
    with sandbox(contents.session_names()) as workshop:
        for step in (one for one in steps if one.code):
            workshop.execute(step.code)
            loops = _loop_names(step, loops)
            seen = _read(workshop.execute(_LOOK).output, data, loops)
            kept[step.number] = tuple(one for one in seen if one not in before)
            before = frozenset(seen)
    return kept


def _loop_names(step: Step, before: frozenset[str]) -> frozenset[str]:
    """The names that loops have bound, in this step or `before` and not otherwise since."""
    try:
        tree = ast.parse(step.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return before
    targets = [node.target for node in ast.walk(tree) if isinstance(node, ast.For)]
    looped = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return (before - bound) | looped


def _read(output: str, data: StructuredData, loops: frozenset[str]) -> Sequence[Variable]:
    """What looking printed, as far as it makes sense: the code may have changed what we look with."""
    try:
        said = json.loads(output)
    except (ValueError, RecursionError):
        return ()
    found = [_variable(line, data, loops) for line in said] if isinstance(said, list) else []
    return [one for one in found if one is not None]


def _variable(line: object, data: StructuredData, loops: frozenset[str]) -> Variable | None:
    match line:
        case [str(name), list(labels), int(count), bool(alone)] if name.isidentifier() and len(name) <= 80:
            ids = tuple(i for label in labels if isinstance(label, str) and (i := data.id_of(label)) is not None)
            if not ids or (alone and name in loops):
                return None
            return Variable(name=name, record_ids=ids, count=min(max(count, len(ids)), len(data.records)))
        case _:
            return None
