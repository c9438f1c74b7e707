"""Hypothesis strategies for records of a schema, and for edits that a schema takes."""

from hypothesis import strategies as st

from r3con_core.errors import SchemaError
from r3con_core.records import Record, Value
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Explain,
    Move,
    Nest,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
    edit_schema,
)
from r3con_core.schema.history import Step, places
from r3con_core.schemas import Choice, Field, Group, Kind, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from tests.strategies import evidence, kinds, names, schemas, type_names, words

SCALAR_VALUES: dict[ScalarType, st.SearchStrategy[Value]] = {
    ScalarType.TEXT: st.sampled_from(["Petrel", "12 boxes", "a", "", "1931"]),
    ScalarType.NUMBER: st.sampled_from([0.5, 3.0, 12, -1]),
    ScalarType.INTEGER: st.integers(-3, 30),
    ScalarType.YES_NO: st.booleans(),
    ScalarType.DATE: st.sampled_from(["1931", "1931-03", "1931-03-04"]),
}


def values_of(kind: Kind) -> st.SearchStrategy[Value]:
    """Values as a reply may give them."""
    match kind:
        case Scalar(of=of):
            return st.none() | SCALAR_VALUES[of]
        case Choice(options=options):
            return st.none() | st.sampled_from(options)
        case Reference():
            return st.none() | st.sampled_from(["Petrel", "Heron"])
        case Group(fields=fields):
            return st.fixed_dictionaries({f.name: values_of(f.kind) for f in fields})
        case ListOf(item=item):
            return st.lists(values_of(item).filter(lambda value: value is not None), max_size=2)


@st.composite
def records_of(draw: st.DrawFn, schema: Schema) -> Record:
    """A record of one of its record types."""
    record_type = draw(st.sampled_from(schema.record_types))
    return Record(
        id="rec-1",
        type=record_type.name,
        document_id="doc-1",
        values={f.name: draw(values_of(f.kind)) for f in record_type.fields},
        evidence=(draw(evidence),),
    )


@st.composite
def edit_of(draw: st.DrawFn, schema: Schema) -> SchemaEdit:
    """An edit, which the schema may refuse."""
    path = draw(st.sampled_from(list(places(schema))))
    field = Field(name=draw(names), meaning=draw(words), kind=draw(kinds(1)))
    label = Field(name="label", meaning="", kind=Scalar())
    edits: list[SchemaEdit] = [
        AddField(parent=path, field=field),
        AddRecordType(record_type=RecordType(name=draw(type_names), meaning="", fields=(label, field))),
        Rename(path=path, name=draw(names | type_names)),
        Describe(path=path, meaning=draw(words)),
        Explain(path=path, why=draw(words)),
        Retype(path=path, kind=draw(kinds(1))),
        Move(path=path, index=draw(st.integers(0, 3))),
        Nest(path=path, parent=draw(st.sampled_from(list(places(schema))))),
        Remove(path=path),
    ]
    return draw(st.sampled_from(edits))


@st.composite
def histories(draw: st.DrawFn, most: int = 6) -> list[Step]:
    """A schema and what edits made of it, one after another."""
    steps: list[Step] = [(draw(schemas()), None)]
    for _ in range(draw(st.integers(0, most))):
        edit = draw(edit_of(steps[-1][0]))
        try:
            steps.append((edit_schema(steps[-1][0], edit), edit))
        except SchemaError:
            continue
    return steps
