"""Runs and what they hold, as lines of text."""

from collections.abc import Iterable, Iterator

from r3con_core.caps import money_text
from r3con_core.cli.screen import indented, one_line
from r3con_core.costs import Cost, CostRange, Forecast
from r3con_core.documents import Corpus, Unread
from r3con_core.estimates.estimate import Estimate
from r3con_core.evidence import Grounded, Misplaced
from r3con_core.exports import RunContents, describe, pages_text, place_of
from r3con_core.exports.other_methods import built_line, is_other, method_name
from r3con_core.figures import Figure, count_of
from r3con_core.method.reading import walk_values
from r3con_core.progress import Progress
from r3con_core.records import Record, StructuredData
from r3con_core.runs import Run
from r3con_core.schema.views import outline
from r3con_core.schemas import Schema
from r3con_core.traces import Built, Trace


def run_line(run: Run, project_name: str) -> str:
    """One run in one line."""
    return f"{run.id}  {run.state.value}  [{one_line(project_name)}]  {one_line(run.task.text)}"


def estimate_text(estimate: Estimate, cost: CostRange | None, seconds: Figure | None) -> str:
    """What a run will take: each figure with its bounds."""
    sent = (
        f"{range_text(estimate.prompt)} tokens sent, of which the server has read {range_text(estimate.cached)} before"
    )
    calls = f"It will make about {range_text(estimate.calls)} calls: {sent}, and {range_text(estimate.output)} written."
    time = [] if seconds is None else [f"It will take about {time_text(seconds)}."]
    return "\n".join([calls, _cost_range_text(cost), *time])


def range_text(figure: Figure) -> str:
    """A figure with its bounds, such as "31,000 (28,000 to 60,000)"."""
    low, likely, high = (f"{_rounded(each):,}" for each in (figure.low, figure.likely, figure.high))
    return likely if low == high else f"{likely} ({low} to {high})"


def _rounded(number: float) -> int:
    """To two digits, which is all that an estimate knows; small counts as they are."""
    whole = round(number)
    return whole if whole < 100 else round(whole, 2 - len(str(whole)))


def _cost_range_text(cost: CostRange | None) -> str:
    if cost is None:
        return "Its price is not known here."
    if not cost.high:
        return "It costs nothing."
    sources = f"; prices: {', '.join(cost.sources)}"
    return f"It will cost {_about(cost, sources)}."


def price_text(calls: Figure, prompt: Figure, cost: CostRange | None, seconds: Figure | None) -> str:
    """What something will take, in one line."""
    told = [f"{range_text(calls)} calls", f"{range_text(prompt)} tokens sent", _price(cost)]
    return "; ".join(told if seconds is None else [*told, time_text(seconds)])


def _price(cost: CostRange | None) -> str:
    if cost is None:
        return "price not known"
    return _about(cost) if cost.high else "costs nothing"


def _about(cost: CostRange, beside: str = "") -> str:
    low, likely, high = (money_text(each) for each in (cost.low, cost.likely, cost.high))
    return f"about {likely} {cost.currency} ({low} to {high}{beside})"


def time_text(seconds: Figure) -> str:
    """A span of time with its bounds."""
    low, likely, high = (_duration(each) for each in (seconds.low, seconds.likely, seconds.high))
    return likely if low == high else f"{likely} ({low} to {high})"


def _duration(seconds: float) -> str:
    unit, size = next((u, s) for u, s in _UNITS if seconds >= 2 * s or s == 1)
    return f"{max(1, round(seconds / size)):,} {unit}"


_UNITS = (("hours", 3600), ("minutes", 60), ("s", 1))


def forecast_text(forecast: Forecast) -> str:
    """What is left of a run at work."""
    text = f"Still to come: about {range_text(forecast.calls_left)} calls, {range_text(forecast.tokens_left)} tokens"
    if forecast.left is not None and forecast.left.high:
        low, likely, high = (money_text(each) for each in (forecast.left.low, forecast.left.likely, forecast.left.high))
        text += f", {likely} {forecast.left.currency} ({low} to {high})"
    return text if forecast.seconds_left is None else f"{text}, {time_text(forecast.seconds_left)}"


def calls_text(progress: Progress) -> str:
    """What a run has asked so far: calls, those given from the log, and tokens as the server counted them."""
    usage = progress.usage
    kept = f" ({progress.reused:,} kept from before)" if progress.reused else ""
    cached = f" ({usage.cached:,} of them read before)" if usage.cached else ""
    return f"{count_of(progress.calls, 'call')}{kept}, {usage.prompt:,} tokens sent{cached}, {usage.output:,} written"


def cost_text(cost: Cost | None) -> str:
    """What a run has cost."""
    if cost is None:
        return "Cost: its price is not known here"
    return f"Cost: {money_text(cost.amount)} {cost.currency} ({'; '.join(cost.sources)})"


def outline_text(schema: Schema) -> str:
    """A schema as people read it."""
    return outline(schema)


def answer_text(contents: RunContents) -> str:
    """The answer with its citations, the records it cites with their quotes, and how much was read."""
    return "\n".join([*_answer(contents), "", *_cited(contents), coverage_text(contents)])


def _answer(contents: RunContents) -> Iterator[str]:
    answer, data = contents.answer, contents.data
    if answer is None or data is None:
        yield f"There is no answer yet: the run is {contents.run.state.value}."
        return
    for sentence in answer.sentences:
        labels = ", ".join(data.label(record_id) for record_id in sentence.record_ids)
        text = one_line(sentence.text)
        bare = text if is_other(contents.run.settings) else f"{text} (rests on no record)"
        yield f"{text} [{labels}]" if labels else bare
    if answer.unknown_citations:
        yield f"(The model also cited what no record has: {one_line(', '.join(answer.unknown_citations))}.)"


def _cited(contents: RunContents) -> Iterator[str]:
    if contents.answer is None or contents.data is None:
        return
    for record_id in contents.answer.record_ids:
        yield from record_lines(contents.data.get(record_id), contents.data, contents.corpus)
        yield ""


def records_text(contents: RunContents) -> str:
    """All records, by label."""
    data, settings = contents.data, contents.run.settings
    if is_other(settings):
        return f"{method_name(settings)} makes no records. What it built: --only built"
    if not settings.structure:
        return "Structure is left out: no records are made."
    if data is None:
        return "There are no records yet."
    return "\n".join(line for record in data.records for line in record_lines(record, data, contents.corpus))


def record_lines(record: Record, data: StructuredData, corpus: Corpus) -> Iterator[str]:
    """A record: what it says, in which document, in which words, and whether those were found."""
    document = corpus.get(record.document_id)
    values = "; ".join(
        f"{'.'.join(path)} = {one_line(str(value))}{' (not in the document)' if '.'.join(path) in record.unsupported else ''}"
        for path, value in walk_values(dict(record.values))
        if value is not None
    )
    aside = ", set aside" if record.set_aside else ""
    yield f"[{data.label(record.id)}] {record.type}: {values}"
    said = f", said by {one_line(record.said_by)}" if record.said_by else ""
    where = one_line(f"Document {corpus.number(document.id)}: {document.title} ({document.source.path})")
    yield f"     {where}; {record.certainty.value}{said}{aside}"
    for evidence in record.evidence:
        place = ""
        if isinstance(evidence, Grounded | Misplaced):
            found = evidence.found if isinstance(evidence, Misplaced) else evidence
            unit = place_of(corpus.get(found.document_id), found.span)
            place = f", {unit}" if unit else ""
        yield f'     "{one_line(evidence.quote)}" ({one_line(describe(evidence, corpus) + place)})'


def coverage_text(contents: RunContents) -> str:
    """How many of the documents were read and parsed, and which were not."""
    documents = len(contents.corpus.documents)
    if is_other(contents.run.settings):
        return f"By {method_name(contents.run.settings)}, over {documents:,} documents. It makes no records."
    if not contents.run.settings.relevance:
        lost = _unread(contents, contents.data.unread) if contents.data else ()
        told = f"Relevance is left out: {documents:,} documents are parsed without having been read for it."
        return "\n".join([told, *(f"  not parsed: {line}" for line in lost)])
    if not contents.context.rounds:
        return f"0 of {documents:,} documents read."
    last = contents.context.rounds[-1]
    silent = sum(1 for snippet in last.snippets if not snippet.text)
    lines = [f"{len(last.snippets):,} of {documents:,} documents read, {silent:,} of them with nothing to say."]
    pages = pages_text(contents.corpus)
    lines += [f"{pages}."] if pages else []
    lines += [f"  not read: {line}" for line in _unread(contents, last.unread)]
    if contents.data is not None:
        lines += [f"  not parsed: {line}" for line in _unread(contents, contents.data.unread)]
    return "\n".join(lines)


def _unread(contents: RunContents, unread: Iterable[Unread]) -> Iterator[str]:
    for each in unread:
        yield one_line(f"{contents.corpus.get(each.document_id).title}: {each.reason}")


def snippets_text(contents: RunContents) -> str:
    """All rounds, document by document."""
    settings = contents.run.settings
    if is_other(settings):
        return f"{method_name(settings)} makes no snippets. What it built: --only built"
    if not settings.relevance:
        return "Relevance is left out: no document is read for it."
    lines = [one_line(f"Looked for: {'; '.join(contents.look_for)}")] if contents.look_for else []
    for round_ in contents.context.rounds:
        lines += ["", f"Round {round_.number}"]
        for snippet in round_.snippets:
            document = contents.corpus.get(snippet.document_id)
            lines.append(f"  Document {contents.corpus.number(document.id)}, {one_line(document.title)}:")
            lines.append(f"    {indented(snippet.text, '    ') or '(nothing to say)'}")
        lines += [f"  not read: {line}" for line in _unread(contents, round_.unread)]
    return "\n".join(lines) or "No document has been read yet."


_MOST_PARTS, _MOST_LETTERS = 30, 200
"""Of one thing that was built, and of one of its parts; the run file has all."""


def built_text(contents: RunContents, trace: Trace) -> str:
    """What another method than R3Con built, in the order of its stages; what went into the answer has a star."""
    if not is_other(contents.run.settings):
        return "R3Con builds snippets, a schema and records: see --only snippets, schema and records."
    told = "\n".join(line for built in trace for line in _built_lines(built))
    return told or f"{method_name(contents.run.settings)} builds nothing: it answers at once, or is not so far yet."


def _built_lines(built: Built) -> Iterator[str]:
    yield one_line(built_line(built))
    for item in built.items[:_MOST_PARTS]:
        said = one_line(item.fault or " → ".join(filter(None, (item.text, item.shown))))
        cut = f"{said[:_MOST_LETTERS]}…" if len(said) > _MOST_LETTERS else said
        yield f"  {'*' if item.chosen else '-'} {one_line(item.title)}{f': {cut}' if cut else ''}"
    if len(built.items) > _MOST_PARTS:
        yield f"  {len(built.items) - _MOST_PARTS:,} more are in built.jsonl of: r3con export --format run"
