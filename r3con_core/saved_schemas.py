"""Schemas kept by name in the user's home, for use in any project."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from r3con_core.errors import StoreError
from r3con_core.home import write_whole
from r3con_core.schemas import Schema
from r3con_core.store.codec import dump, load
from r3con_core.store.project import now

FILE = "schemas.json"
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSchema:
    """One schema as it is kept."""

    name: str
    schema: Schema
    saved: str
    """UTC, ISO 8601."""


Shelf = tuple[SavedSchema, ...]


def saved_schemas(home: Path) -> Shelf:
    """All that are kept, by name; StoreError when the file cannot be used."""
    try:
        kept: Shelf = load((home / FILE).read_text("utf-8"), Shelf)
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise StoreError(f"{home / FILE} cannot be read. Move it away to begin a new one.") from error
    return tuple(sorted(kept, key=lambda one: one.name.casefold()))


def keep_schema(home: Path, name: str, schema: Schema) -> None:
    """Keep a schema under a name, in place of one of that name; StoreError for a name that cannot be."""
    name = _checked(name)
    others = [one for one in saved_schemas(home) if one.name != name]
    _write(home, (*others, SavedSchema(name=name, schema=schema, saved=now())))


def rename_schema(home: Path, old: str, new: str) -> None:
    """Call a kept schema otherwise; StoreError when there is none, or another has that name."""
    new = _checked(new)
    kept = saved_schemas(home)
    one = _named(kept, old)
    if new != old and any(other.name == new for other in kept):
        raise StoreError(f"There is a schema called {new!r} already. Choose another name.")
    rest = tuple(other for other in kept if other is not one)
    _write(home, (*rest, SavedSchema(name=new, schema=one.schema, saved=one.saved)))


def delete_schema(home: Path, name: str) -> None:
    """Keep it no longer; StoreError when there is none of that name."""
    kept = saved_schemas(home)
    one = _named(kept, name)
    _write(home, tuple(other for other in kept if other is not one))


def _named(kept: Shelf, name: str) -> SavedSchema:
    found = next((one for one in kept if one.name == name), None)
    if found is None:
        raise StoreError(f"No schema is kept under the name {name!r}.")
    return found


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise StoreError("Give the schema a name.")
    if len(name) > LONGEST_NAME:
        raise StoreError(f"A name may have {LONGEST_NAME} characters at most.")
    return name


def _write(home: Path, kept: Shelf) -> None:
    try:
        write_whole(home / FILE, dump(kept, Shelf))
    except OSError as error:
        raise StoreError(f"{home} cannot be written: {error.strerror}. Check the folder and the disk.") from error
