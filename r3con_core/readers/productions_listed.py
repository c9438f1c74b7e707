"""What a load file says of one document, in the words of a mail's head, and the Bates numbers of its pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from r3con_core.privilege import MARKED_PRIVILEGED
from r3con_core.readers.loadfiles import Role, Row, bare, role_of

MAX_PAGES = 20_000
"""Of one document; a longer range of Bates numbers is not believed."""
_LABELS = {
    "From": "FROM EMAILFROM SENDER SENTFROM",
    "To": "TO EMAILTO RECIPIENT RECIPIENTS SENTTO",
    "Cc": "CC EMAILCC COPYEE",
    "Bcc": "BCC EMAILBCC BLINDCOPYEE",
    "Date sent": "DATESENT SENTDATE EMAILSENTDATE SENTON DATETIMESENT SENTDATETIME",
    "Time sent": "TIMESENT SENTTIME",
    "Date received": "DATERECEIVED RECEIVEDDATE DATERCVD DATETIMERECEIVED",
    "Date": "DATE DOCDATE DOCUMENTDATE MASTERDATE SORTDATE FAMILYDATE",
    "Date created": "DATECREATED CREATEDATE CREATEDDATE CREATIONDATE DATETIMECREATED",
    "Date modified": "DATEMODIFIED MODIFIEDDATE LASTMODIFIEDDATE DATELASTMODIFIED DATELASTMOD LASTMODDATE DATEMOD",
    "Subject": "SUBJECT EMAILSUBJECT SUBJ",
    "Title": "TITLE DOCTITLE DOCUMENTTITLE",
    "Author": "AUTHOR DOCAUTHOR AUTHORS",
    "File name": "FILENAME FILENAMES ORIGINALFILENAME DOCNAME ATTACHMENTNAME",
    "Custodian": "CUSTODIAN CUSTODIANNAME",
    "All custodians": "ALLCUSTODIANS DUPCUSTODIAN DUPECUSTODIANS",
    "Confidentiality": "CONFIDENTIALITY CONFIDENTIAL CONFIDENTIALDESIGNATION CONFDESIGNATION DESIGNATION CONFIDENTIALTREATMENT",
    "Privilege": "PRIVILEGE PRIVILEGED PRIV PRIVSTATUS PRIVILEGESTATUS PRIVTYPE PRIVILEGETYPE PRIVDESIGNATION "
    "PRIVILEGEDESIGNATION PRIVLOG PRIVILEGELOG PRIVFLAG PRIVREASON",
    "Redacted": "REDACTED REDACTION HASREDACTIONS REDACTIONREASON",
}
_LABEL_OF = {name: label for label, names in _LABELS.items() for name in names.split()}
_DATES = ("Date sent", "Date", "Date received", "Date created", "Date modified")
"""The first that is stated dates the document."""
_NO = frozenset(("", "n", "no", "none", "false", "0", "not privileged", "non-privileged", "nonprivileged", "n/a"))
_LAST_DIGITS = re.compile(r"^(.*?)(\d+)(\D*)$", re.DOTALL)
_NUMBERS = re.compile(r"^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b")
_YEAR_FIRST = re.compile(r"^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3})[a-z]*\.?[ -,]+(\d{4})\b")
_MONTH_DAY = re.compile(r"\b([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document as its load file has it."""

    name: str
    """Its first Bates number, told apart from others of the same."""
    begin: str = ""
    end: str = ""
    pages: tuple[str, ...] = ()
    """The Bates number of each page, in order."""
    fields: tuple[tuple[str, str], ...] = ()
    """Label and value of what is said of it, with no paths of its files."""
    text: str = ""
    """Its text, where the load file itself holds it."""
    date: str = ""
    """ISO 8601; empty when none is stated or the order of day and month is open."""
    parent: str = ""
    """Path of the document that it is attached to."""
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Listed":
        """What `as_json` gave, after JSON; other keys are left out."""
        return cls(
            pages=tuple(said["pages"]),
            fields=tuple((label, value) for label, value in said["fields"]),
            warnings=tuple(said["warnings"]),
            **{key: str(said[key]) for key in ("name", "begin", "end", "text", "date", "parent")},
        )

    def field(self, *labels: str) -> str:
        """The value under the first of `labels` that is stated; empty when none is."""
        stated = dict(reversed(self.fields))
        return next((stated[label] for label in labels if label in stated), "")

    @property
    def bates(self) -> str:
        """All its Bates numbers: "NDHA-000101 to NDHA-000103"."""
        return f"{self.begin} to {self.end}" if self.end and self.end != self.begin else self.begin


def listed(row: Row, *, name: str, day_first: bool | None) -> Listed:
    """What a row says; `day_first` as `is_day_first` gives it for all its rows."""
    known = [(label, value) for column, value in row.fields if (label := _LABEL_OF.get(bare(column)))]
    order = list(_LABELS)
    begin = row.get(Role.BEGIN)
    others = [one for one in row.fields if bare(one[0]) not in _LABEL_OF and _is_said(*one, begin=begin)]
    fields = (*sorted(known, key=lambda one: order.index(one[0])), *others)
    stated = next((value for label in _DATES for known_label, value in known if known_label == label), "")
    date = iso_date(stated, day_first=day_first)
    warnings = [f"{MARKED_PRIVILEGED}: {value}." for value in _privileges(known)]
    if stated and not date:
        warnings.append(f"Its date, {stated}, is not in a form that can be told for certain.")
    end = row.get(Role.END) or begin
    return Listed(name=name, begin=begin, end=end, fields=fields, date=date, warnings=tuple(warnings))


def _is_said(column: str, value: str, *, begin: str) -> bool:
    """Whether a column says something of the document, besides its numbers and files."""
    role = role_of(column)
    return role in (None, Role.SOURCE_PATH) or (role is Role.BEGIN and value != begin)


def _privileges(known: Sequence[tuple[str, str]]) -> Iterator[str]:
    for label, value in known:
        if label == "Privilege" and value.strip().casefold() not in _NO:
            yield " ".join(value.split())


def bates_range(begin: str, end: str) -> list[str]:
    """Every Bates number from `begin` to `end`; only `begin` where they do not count up from one to the other."""
    first, last = _LAST_DIGITS.match(begin), _LAST_DIGITS.match(end)
    if not first or not last or (first[1], first[3]) != (last[1], last[3]) or len(first[2]) > 18:
        return [begin] if begin else []
    numbers = range(int(first[2]), int(last[2]) + 1) if len(last[2]) <= 18 else range(0)
    if not 0 < len(numbers) <= MAX_PAGES:
        return [begin]
    return [f"{first[1]}{number:0{len(first[2])}}{first[3]}" for number in numbers]


def is_day_first(rows: Sequence[Row]) -> bool | None:
    """Whether dates like 03/04/2021 name the day first, as some date of the file shows; None when that is open."""
    shown = set()
    for row in rows:
        for column, value in row.fields:
            found = _NUMBERS.match(value) if _LABEL_OF.get(bare(column)) in _DATES else None
            if found and (int(found[1]) > 12) != (int(found[2]) > 12):
                shown.add(int(found[1]) > 12)
    return shown.pop() if len(shown) == 1 else None


def iso_date(stated: str, *, day_first: bool | None) -> str:
    """The date in a value like "11/28/2021 14:03", "20211128" or "28 Nov 2021"; empty when it is open."""
    if found := _YEAR_FIRST.match(stated):
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_MONTH.search(stated):
        return _iso(int(found[3]), _month(found[2]), int(found[1]))
    if found := _MONTH_DAY.search(stated):
        return _iso(int(found[3]), _month(found[1]), int(found[2]))
    if not (found := _NUMBERS.match(stated)):
        return ""
    one, two, year = int(found[1]), int(found[2]), int(found[3])
    day_leads = one > 12 or (day_first if two <= 12 and one != two else False)
    if day_leads is None:
        return ""
    return _iso(year, two, one) if day_leads else _iso(year, one, two)


def _month(name: str) -> int:
    short = name.casefold()
    return _MONTHS.index(short) + 1 if short in _MONTHS else 0


def _iso(year: int, month: int, day: int) -> str:
    possible = year >= 1000 and 1 <= month <= 12 and 1 <= day <= 31
    return f"{year:04}-{month:02}-{day:02}" if possible else ""
