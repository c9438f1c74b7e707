"""Which models all methods ask: one, or one that reads and another that reasons."""

from pages.widgets.errors import plain
from pages.widgets.question import modelform
from r3con_core.jobs import ModelChoice, RunChoices


def choose(remembered: RunChoices | None) -> list[modelform.Filled]:
    """The form of the model, and of a second one where that is wanted."""
    return modelform.show_forms(
        remembered,
        "Another model for the reasoning",
        "The first model then reads documents, passages and sections; this one answers, and plans where a method plans.",
    )


def asked_in_words(reading: ModelChoice, reasoning: ModelChoice | None) -> str:
    """Which model every method asks, as Markdown."""
    one = f"**{plain(reading.model)}** ({plain(reading.host)})"
    if reasoning is None:
        return f"Every method asks {one}."
    return f"In every method {one} reads and **{plain(reasoning.model)}** ({plain(reasoning.host)}) reasons."
