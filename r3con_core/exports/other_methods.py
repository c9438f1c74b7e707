"""What is said of a run of another method than R3Con, which makes no snippets, schema or records."""

from r3con_core.exports.whole import WholeRun
from r3con_core.figures import count_of
from r3con_core.methods import METHODS
from r3con_core.runs import R3CON, RunSettings
from r3con_core.traces import Built


def is_other(settings: RunSettings) -> bool:
    """Whether a run is of such a method."""
    return settings.method != R3CON


def method_name(settings: RunSettings) -> str:
    """The method's name, as its paper has it; its id where this product does not know it."""
    return next((method.name for method in METHODS if method.id == settings.method), settings.method)


def no_records(settings: RunSettings) -> str:
    """That it makes no records, in a sentence."""
    return f"{method_name(settings)} makes no records, so no sentence of its answer leads to a quote that was checked."


def how_it_works(settings: RunSettings) -> str:
    """What the method does, in a sentence or two; empty for one that this product does not know."""
    return next((method.says for method in METHODS if method.id == settings.method), "")


def built_lines(whole: WholeRun) -> tuple[str, ...]:
    """What it built on the way, a line each, in the order of its stages."""
    return tuple(map(built_line, whole.built))


def built_line(built: Built) -> str:
    """One thing that was built: how much of it there is, how much went on, and what it is for."""
    chosen = sum(item.chosen for item in built.items)
    went_on = f", {chosen:,} of them chosen" if chosen else ""
    return f"{built.name} ({count_of(len(built.items), 'part')}{went_on}): {built.says}"
