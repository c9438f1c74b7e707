"""Names that may mean one thing: what is proposed, what is not, and what speaks against it."""

import random
import time
from collections.abc import Sequence
from itertools import count

import pytest

from r3con_core.changes import KeepApart
from r3con_core.corrections.name_pairs import Why
from r3con_core.corrections.names import NameCluster, find_clusters
from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.overlay import data_of
from r3con_core.records import Record, Standing, StructuredData, Value
from r3con_core.schemas import Field, RecordType, Reference, Scalar, ScalarType, Schema
from tests.fakes import finished_inquiry

PERSON = RecordType(
    name="Person",
    meaning="one person",
    fields=(
        Field(name="name", meaning="", kind=Scalar()),
        Field(name="born", meaning="", kind=Scalar(of=ScalarType.DATE)),
        Field(name="knows", meaning="", kind=Reference(record_type="Person")),
    ),
)
_numbers = count()


def person(name: str, document: str = "", standing: Standing = Standing.KEPT, **values: Value) -> Record:
    number = next(_numbers)
    document_id = document or f"doc-{number}"
    quote = Grounded(quote=name, document_id=document_id, span=Span(start=0, end=1), match=Match.EXACT)
    return Record(
        id=f"rec-{number}",
        type="Person",
        document_id=document_id,
        values={"name": name, **values},
        evidence=(quote,),
        standing=standing,
    )


def clusters(*records: Record | str, apart: Sequence[KeepApart] = ()) -> tuple[NameCluster, ...]:
    found = tuple(person(one) if isinstance(one, str) else one for one in records)
    return find_clusters(StructuredData(schema=Schema(record_types=(PERSON,)), records=found), apart)


def names(found: Sequence[NameCluster]) -> list[set[str]]:
    return [{use.name for use in cluster.names} for cluster in found]


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Müller & Söhne", "Muller and Sohne", Why.TYPOGRAPHY),
        ("Mac Gregor", "MacGregor", Why.TYPOGRAPHY),
        ("Jean-Paul Sand", "Jean Paul Sand", Why.TYPOGRAPHY),
        ("Silverline Advisory Ltd", "Silverline Advisory Limited", Why.FORM),
        ("Feldbau Co.", "Feldbau Company", Why.FORM),
        ("Captain Doran", "Doran", Why.TITLE),
        ("Dr. Irena Dolan", "Irena Dolan", Why.TITLE),
        ("Doe, John", "John Doe", Why.TYPOGRAPHY),
        ("Marek Anton", "Anton Marek", Why.ORDER),
        ("Irena Do1an", "Irena Dolan", Why.SCAN),
        ("Harmsworth", "Harrnsworth", Why.SCAN),
        ("Feldbau Ltd", "Feldbau", Why.NO_FORM),
        ("Josiah Vennor", "Josiah Venner", Why.LETTER),
        ("Henrik Kosster", "Henrik Koster", Why.LETTER),
        ("A. Marek", "Anton Marek", Why.INITIALS),
        ("DOLAN I.", "Irena Dolan", Why.INITIALS),
        ("J. R. Feld", "Jonas Richard Feld", Why.INITIALS),
        ("Venn", "Josiah Venn", Why.PART),
        ("AMW", "Ael Marine Works Ltd", Why.ACRONYM),
    ],
)
def test_two_names_that_may_be_one_are_proposed_with_the_reason(one: str, other: str, why: Why) -> None:
    for pair in ((one, other), (other, one)):
        (found,) = clusters(*pair)
        assert ({use.name for use in found.names}, [link.why for link in found.links]) == ({one, other}, [why])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anton Marek", "Adam Marek"),
        ("Ann Lee", "Anna Lee"),
        ("BR-2019-04", "BR-2019-05"),
        ("Landing 1", "Landing 2"),
        ("Jonas Feld", "Greta Feld"),
        ("North Dyke", "South Dyke"),
        ("Feldbau Ltd", "Feldmann Bau"),
        ("A. Marek", "B. Marek"),
        ("J. S. Feld", "Jonas Richard Feld"),
    ],
)
def test_names_of_different_things_are_not_proposed(one: str, other: str) -> None:
    assert clusters(one, other) == ()


def test_one_name_in_two_typographies_is_one_already() -> None:
    assert clusters("The Petrel", "petrel", "“Petrel”") == ()


def test_several_names_of_one_thing_are_one_cluster_and_the_fullest_is_proposed() -> None:
    (found,) = clusters("Feldbau", "Feldbau Ltd", "Feldbau Ltd", "FELDBAU LIMITED", "Feldbau")
    assert names([found]) == [{"Feldbau", "Feldbau Ltd", "FELDBAU LIMITED"}]
    assert found.best == "FELDBAU LIMITED"
    assert clusters("DOLAN I.", "DOLAN I.", "Irena Dolan")[0].best == "Irena Dolan"
    assert clusters("Kosster Henrik", "Koster Henrik", "Koster Henrik")[0].best == "Koster Henrik"


def test_a_short_name_that_fits_two_is_proposed_with_each_and_joins_neither() -> None:
    found = clusters("A. Marek", "Anton Marek", "Adam Marek")
    assert names(found) == [{"A. Marek", "Anton Marek"}, {"A. Marek", "Adam Marek"}]
    assert [[(one.text, one.values) for one in cluster.against] for cluster in found] == [
        [("the short name fits another one too", ("A. Marek", "Adam Marek"))],
        [("the short name fits another one too", ("A. Marek", "Anton Marek"))],
    ]


def test_a_last_name_of_two_persons_is_not_proposed_for_either() -> None:
    assert clusters("Marek", "Anton Marek", "Irena Marek") == ()


def test_different_dates_and_both_names_in_one_place_speak_against_it() -> None:
    one = person("A. Marek", "letter", born="1970-01-02")
    other = person("Anton Marek", "letter", born="1971")
    (found,) = clusters(one, other, person("Vind", knows="A. Marek"))
    assert [(against.text, against.values, against.record_ids) for against in found.against] == [
        ("born differs", ("1970-01-02", "1971"), (one.id, other.id)),
        ("one document has both names", ("A. Marek", "Anton Marek"), (one.id, other.id)),
    ]
    linked = person("A. Marek", knows="Anton Marek")
    assert [against.text for against in clusters(linked)[0].against] == ["one record has both names"]


def test_records_and_references_are_told_for_each_name() -> None:
    firm, naming = person("Feldbau Ltd"), person("Koster", knows="Feldbau")
    (found,) = clusters(firm, naming)
    assert [(use.name, use.record_ids, use.named_in) for use in found.names] == [
        ("Feldbau Ltd", (firm.id,), ()),
        ("Feldbau", (), (naming.id,)),
    ]


def test_names_that_a_person_keeps_apart_are_not_proposed_again_and_the_others_are() -> None:
    apart = [KeepApart(record_type="Person", names=("feldbau ltd", "Feldbau"))]
    assert clusters("Feldbau", "Feldbau Ltd", apart=apart) == ()
    found = clusters("Feldbau", "Feldbau Ltd", "Feldbau Limited", apart=apart)
    assert names(found) == [{"Feldbau Ltd", "Feldbau Limited"}]
    short = [KeepApart(record_type="Person", names=("A. Marek", "Adam Marek"))]
    assert names(clusters("A. Marek", "Anton Marek", "Adam Marek", apart=short)) == [{"A. Marek", "Anton Marek"}]
    assert clusters("Feldbau", "Feldbau Ltd", apart=[KeepApart(record_type="Ship", names=("Feldbau", "Feldbau Ltd"))])


def test_names_of_rejected_records_are_not_proposed() -> None:
    assert clusters("Feldbau", person("Feldbau Ltd", standing=Standing.REJECTED)) == ()


def test_the_names_of_the_inquiry_are_clustered(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = data_of(*finished_inquiry(tmp_path_factory.mktemp("projects")))
    assert data is not None
    assert [(found.record_type, found.best, len(found.names)) for found in find_clusters(data)] == [
        ("Party", "Feldbau Ltd", 2),
        ("Party", "Ael Marine Works Ltd", 2),
        ("Party", "Silverline Advisory Ltd", 2),
        ("Party", "Irena Dolan", 2),
    ]


def test_five_thousand_names_take_a_couple_of_seconds() -> None:
    chance = random.Random(7)
    syllables = "ma re ko tin bel dor van sel ri no tak ul fen gar".split()
    words = ["".join(chance.choices(syllables, k=3)).title() for _ in range(1200)]
    made = [
        chance.choice(["{0} {1}", "{1}, {0}", "{2}. {1}", "{1} Ltd", "{1} {0} Limited"]).format(
            chance.choice(words), chance.choice(words), chance.choice("ABC")
        )
        for _ in range(5000)
    ]
    began = time.process_time()
    found = clusters(*made)
    assert time.process_time() - began < 4
    assert found
