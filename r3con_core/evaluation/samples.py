"""The questions of the sample corpora as tasks."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from r3con_core.corpora import SampleCorpus, add_dracula, add_sample, read_book, sample_corpus
from r3con_core.errors import CorpusError
from r3con_core.evaluation.tasks import EvaluationTask
from r3con_core.judging_runs import gold_of
from r3con_core.store.project import Project


def read_sample(name: str, book: Path | None = None) -> Iterator[EvaluationTask]:
    """Those whose right answer is known. CorpusError when there is no such corpus, or its book is not given."""
    sample = sample_corpus(name)
    if not sample.in_book and book is not None:
        raise CorpusError(f"{sample.name} comes with this product. Leave the path out.")
    if sample.in_book and book is None:
        raise CorpusError(f"{sample.title} is made from a book: give the path of its text.")
    return _tasks(sample, book)


def _tasks(sample: SampleCorpus, book: Path | None) -> Iterator[EvaluationTask]:
    for task in sample.tasks:
        gold = gold_of(task)
        if gold is not None:
            yield EvaluationTask(
                id=task.id,
                question=task.question,
                gold=gold,
                labels=(("domain", sample.name), ("facet", task.kind)),
                fill=partial(_fill, sample, book),
                corpus=sample.name,
            )


def _fill(sample: SampleCorpus, book: Path | None, project: Project) -> None:
    if sample.in_book and book is not None:
        add_dracula(project, read_book(book))
    else:
        add_sample(project, sample.name)
