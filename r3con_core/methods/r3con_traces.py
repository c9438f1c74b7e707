"""What R3Con builds (snippets round by round, records, steps of its agent) in the form that all methods are looked at."""

from collections.abc import Sequence

from r3con_core.answers import Step
from r3con_core.documents import Corpus
from r3con_core.evidence import Grounded
from r3con_core.method.reading import walk_values
from r3con_core.records import Record, StructuredData
from r3con_core.snippets import RelevantContext
from r3con_core.traces import Built, Item, Place, View


def built_of_rounds(corpus: Corpus, context: RelevantContext) -> tuple[Built, ...]:
    """One thing for each round: every document's snippet."""
    return tuple(
        Built(
            name=f"Snippets of round {of.number}",
            says="What each document contributes to the task, "
            + ("read by itself." if of.number == 1 else "read again in the light of what the others said before."),
            view=View.TEXTS,
            items=tuple(
                Item(
                    id=snippet.document_id,
                    title=f"Document {corpus.number(snippet.document_id)}",
                    text=snippet.text,
                    places=(Place(document_id=snippet.document_id),),
                )
                for snippet in of.snippets
            ),
            read=of is context.last,
        )
        for of in context.rounds
    )


def built_of_records(corpus: Corpus, data: StructuredData) -> Built:
    """All records, those that were set aside too."""
    return Built(
        name="Records",
        says="What was found, in the form the task needs, each with the quote that proves it.",
        view=View.TABLES,
        items=tuple(_item(corpus, data, record) for record in data.records),
        read=True,
    )


def _item(corpus: Corpus, data: StructuredData, record: Record) -> Item:
    values = [f"{'.'.join(path)}: {value}" for path, value in walk_values(dict(record.values)) if value is not None]
    quotes = tuple(
        Place(document_id=one.document_id, span=one.span) for one in record.evidence if isinstance(one, Grounded)
    )
    return Item(
        id=data.label(record.id),
        title=f"{data.label(record.id)}, Document {corpus.number(record.document_id)}",
        kind=record.type,
        text="\n".join(values),
        places=quotes or (Place(document_id=record.document_id),),
        chosen=record.counts,
    )


def built_of_steps(steps: Sequence[Step]) -> tuple[Built, ...]:
    """The steps of a coding agent; nothing where it took none."""
    if not steps:
        return ()
    items = tuple(
        Item(
            id=str(step.number),
            title=f"Step {step.number}",
            text=step.code,
            shown=step.execution.output,
            fault=step.execution.fault or "",
        )
        for step in steps
    )
    return (
        Built(
            name="Steps of the agent",
            says="The code that the model wrote, and what it printed.",
            view=View.STEPS,
            items=items,
        ),
    )
