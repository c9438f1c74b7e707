"""What a person chose last, kept in a small file in their home, so that it need not be chosen again. Never a key."""

from pathlib import Path

from pydantic import ValidationError

from r3con_core.errors import R3ConError, StoreError
from r3con_core.home import write_whole
from r3con_core.jobs import RunChoices
from r3con_core.store.codec import dump, load

FILE = "choices.json"


def load_choices(home: Path) -> RunChoices | None:
    """The choices of the last run started; None before the first, or when the file cannot be used any more."""
    try:
        choices: RunChoices = load((home / FILE).read_text("utf-8"), RunChoices)
        choices.settings()
    except (OSError, UnicodeDecodeError, ValidationError, R3ConError):
        return None  # a convenience: an old or damaged file only means to choose again
    return choices


def save_choices(home: Path, choices: RunChoices) -> None:
    """Keep `choices` for the next time; StoreError when the home cannot be written."""
    try:
        write_whole(home / FILE, dump(choices, RunChoices))
    except OSError as error:
        raise StoreError(f"{home} cannot be written: {error.strerror}. Check the folder and the disk.") from error
