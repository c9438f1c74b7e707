"""Hypothesis strategies for the nouns."""

from hypothesis import strategies as st

from r3con_core.answers import Answer, Execution, Mode, Proposed, Sentence, Step
from r3con_core.documents import Document, Source, Span, Unit, make_document
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded
from r3con_core.records import Certainty, Record
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from r3con_core.snippets import Author, RelevanceSnippet

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
names = st.sampled_from(["ship", "port", "day", "cases", "owner", "marks", "colour", "größe", "船"])
type_names = st.sampled_from(["Landing", "Launch", "Person", "Payment"])
spans = st.tuples(st.integers(0, 10**6), st.integers(1, 10**4)).map(lambda p: Span(start=p[0], end=p[0] + p[1]))

scalars = st.builds(Scalar, of=st.sampled_from(ScalarType))
choices = st.lists(st.sampled_from(["a", "b", "c", "d e"]), min_size=2, max_size=4, unique=True).map(
    lambda options: Choice(options=tuple(options))
)


def kinds(depth: int = 2) -> st.SearchStrategy[Kind]:
    """Kinds without references, groups `depth` deep at most."""
    simple: st.SearchStrategy[Kind] = scalars | choices
    if depth == 0:
        return simple
    groups = fields(depth - 1).map(lambda found: Group(fields=found))
    items = simple | groups
    return simple | groups | items.map(lambda item: ListOf(item=item))  # type: ignore[arg-type]


def fields(depth: int = 2) -> st.SearchStrategy[tuple[Field, ...]]:
    """One to four fields with different names."""
    field = st.builds(Field, name=names, meaning=words, kind=kinds(depth), why=words)
    return st.lists(field, min_size=1, max_size=4, unique_by=lambda f: f.name).map(tuple)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Valid schemas with groups, lists and references."""
    chosen = draw(st.lists(type_names, min_size=1, max_size=3, unique=True))
    types = []
    for name in chosen:
        label = Field(name="label", meaning=draw(words), kind=draw(scalars))
        target = draw(st.sampled_from(chosen))
        reference = Field(name="refers", meaning="", kind=Reference(record_type=target))
        rest = draw(fields())
        types.append(RecordType(name=name, meaning=draw(words), fields=(label, reference, *rest), why=draw(words)))
    return Schema(record_types=tuple(types))


grounded = st.builds(
    Grounded,
    quote=words,
    document_id=words,
    span=spans,
    match=st.sampled_from(Match),
    score=st.floats(90, 100),
)
evidence: st.SearchStrategy[Evidence] = (
    grounded
    | st.builds(Misplaced, quote=words, document_id=words, found=grounded)
    | st.builds(Ungrounded, quote=words, document_id=words)
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
records = st.builds(
    Record,
    id=st.uuids().map(lambda u: f"rec-{u.hex[:16]}"),
    type=type_names,
    document_id=st.just("doc-1"),
    values=st.dictionaries(names, values, min_size=1, max_size=4),
    evidence=st.lists(evidence, min_size=1, max_size=3).map(tuple),
    said_by=st.none() | words,
    certainty=st.sampled_from(Certainty),
    unsupported=st.lists(names, max_size=2).map(tuple),
)
snippets = st.builds(
    RelevanceSnippet,
    document_id=st.just("doc-1"),
    text=words,
    author=st.sampled_from(Author),
    foreign=st.lists(words, max_size=3).map(tuple),
    left_out=st.lists(words, max_size=3).map(tuple),
)
executions = st.builds(
    Execution,
    output=words,
    fault=st.none() | words,
    proposed=st.none() | st.builds(Proposed, text=words, cites=st.lists(words, max_size=2).map(tuple)),
    seconds=st.floats(0, 100),
)
steps = st.builds(Step, number=st.just(1), thought=words, code=words, execution=executions)
answers = st.builds(
    Answer,
    text=words,
    sentences=st.lists(
        st.builds(Sentence, text=words, record_ids=st.lists(words, max_size=2).map(tuple)), max_size=3
    ).map(tuple),
    mode=st.sampled_from(Mode),
    steps=st.lists(steps, max_size=1).map(tuple),
    unknown_citations=st.lists(words, max_size=2).map(tuple),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Documents with units inside their text."""
    text = draw(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=200))
    end = draw(st.integers(1, len(text)))
    unit = Unit(kind="page", label=draw(words), span=Span(start=0, end=end))
    source = Source(path=draw(words), sha256="0" * 64, media_type="text/plain")
    return make_document(
        title=draw(words),
        text=text,
        source=source,
        units=(unit,),
        date=draw(st.none() | words),
        warnings=(draw(words),),
    )
