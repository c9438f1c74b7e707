"""A model file is fetched once, checked by its hash, and taken up where it stopped; from sources on this computer."""

import errno
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.errors import ModelFileError
from r3con_core.models import LOCAL_MODELS, LocalModel, files, find_model, is_pulled, models_folder, pull
from r3con_core.models.locks import only_one
from r3con_core.models.transports import Advance

PARTS = (b"GGUF\x03", b"weights ", b"and more")
WHOLE = b"".join(PARTS)
TOY = replace(
    LOCAL_MODELS[0], name="toy", file="toy.gguf", bytes=len(WHOLE), sha256=hashlib.sha256(WHOLE).hexdigest(), sources=()
)
Progress = list[tuple[int, int]]


@pytest.fixture(autouse=True)
def _toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def known(name: str) -> LocalModel | None:
        return TOY if name == "toy" else None

    monkeypatch.setattr(files, "local_model", known)


class Source:
    """Delivers parts, going on after those that are there; counts what it delivered."""

    def __init__(self, parts: tuple[bytes, ...] = PARTS, fails_after: int | None = None) -> None:
        self.parts, self.fails_after, self.delivered = parts, fails_after, 0

    def __call__(self, partial: Path, advance: Advance) -> None:
        have = partial.stat().st_size if partial.exists() else 0
        at = 0
        with partial.open("ab") as into:
            for number, part in enumerate(self.parts):
                if number == self.fails_after:
                    raise ModelFileError("The source went away.")
                if at >= have:
                    into.write(part)
                    self.delivered += 1
                    advance(into.tell())
                at += len(part)


def fetch(home: Path, *sources: Callable[[Path, Advance], None], free: int = 10**12) -> tuple[Path, Progress]:
    told: Progress = []
    path = pull("toy", home, lambda done, total: told.append((done, total)), sources=sources, free_space=lambda _: free)
    return path, told


def names(home: Path) -> list[str]:
    return sorted(path.name for path in models_folder(home).iterdir())


def test_a_pulled_model_is_whole_checked_and_found(tmp_path: Path) -> None:
    path, told = fetch(tmp_path, Source())
    assert path.read_bytes() == WHOLE
    assert told == [(5, 21), (13, 21), (21, 21)]
    assert is_pulled(TOY, tmp_path)
    assert find_model("toy", tmp_path) == path
    assert names(tmp_path) == ["toy.gguf", "toy.gguf.lock", "toy.gguf.ok"]


def test_a_model_that_is_here_is_never_fetched_again(tmp_path: Path) -> None:
    fetch(tmp_path, Source())
    again = Source()
    _, told = fetch(tmp_path, again)
    assert again.delivered == 0
    assert told == [(21, 21)]


def test_bytes_that_are_not_the_expected_ones_are_refused_and_removed(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"is not the one we know.* It will not be used\..* pull again"):
        fetch(tmp_path, Source((b"GGUF\x03", b"wrongs! ", b"and more")))
    with pytest.raises(ModelFileError, match=r"is damaged: it has 5 bytes instead of 21.* pull again"):
        fetch(tmp_path, Source(PARTS[:1]))
    with pytest.raises(ModelFileError, match="is not a GGUF model file"):
        fetch(tmp_path, Source((b"<html>not here</html>",)))
    assert names(tmp_path) == ["toy.gguf.lock"]


def test_the_next_pull_goes_on_after_what_arrived(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"No source delivered .*went away.*what arrived is kept"):
        fetch(tmp_path, Source(fails_after=2))
    rest = Source()
    path, told = fetch(tmp_path, rest)
    assert rest.delivered == 1
    assert told == [(21, 21)]
    assert path.read_bytes() == WHOLE


def test_whatever_progress_raises_stops_the_pull_and_keeps_what_arrived(tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done >= 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull("toy", tmp_path, stop, sources=[Source()], free_space=lambda _: 10**12)
    rest = Source()
    fetch(tmp_path, rest)
    assert rest.delivered == 1


def test_the_next_source_is_tried_when_one_does_not_answer(tmp_path: Path) -> None:
    second = Source()
    fetch(tmp_path, Source(fails_after=0), second)
    assert second.delivered == 3


def test_a_source_of_other_bytes_is_passed_over(tmp_path: Path) -> None:
    page = Source((b"<html>Sign in to this network</html>",))
    path, _ = fetch(tmp_path, page, Source())
    assert path.read_bytes() == WHOLE


def test_a_file_that_had_arrived_whole_is_only_checked(tmp_path: Path) -> None:
    models_folder(tmp_path).mkdir()
    (models_folder(tmp_path) / "toy.gguf.partial").write_bytes(WHOLE)
    source = Source()
    path, _ = fetch(tmp_path, source)
    assert source.delivered == 0
    assert path.read_bytes() == WHOLE


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.write_text("in the way", "utf-8")
    with pytest.raises(ModelFileError, match=r"cannot be made .* set R3CON_HOME"):
        fetch(home, Source())


def test_a_disk_too_full_is_told_before_anything_is_fetched(tmp_path: Path) -> None:
    source = Source()
    with pytest.raises(ModelFileError, match=r"disk is too full for the model toy: it needs 200 MB .* 5 MB are free"):
        fetch(tmp_path, source, free=5_000_000)
    assert source.delivered == 0


def test_a_disk_that_fills_up_meanwhile_is_named(tmp_path: Path) -> None:
    def fills_up(partial: Path, _: Advance) -> None:
        partial.write_bytes(PARTS[0])
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ModelFileError, match=r"The disk is full.*what arrived is kept"):
        fetch(tmp_path, fills_up)
    assert (models_folder(tmp_path) / "toy.gguf.partial").read_bytes() == PARTS[0]


def test_two_pulls_of_one_model_do_not_mix(tmp_path: Path) -> None:
    models_folder(tmp_path).mkdir()
    lock = models_folder(tmp_path) / "toy.gguf.lock"
    with only_one(lock, doing="pulling toy"), pytest.raises(ModelFileError, match="already pulling toy"):
        fetch(tmp_path, Source())


def test_a_file_put_there_by_hand_is_hashed_before_use(tmp_path: Path) -> None:
    models_folder(tmp_path).mkdir()
    path = models_folder(tmp_path) / "toy.gguf"
    path.write_bytes(WHOLE)
    assert find_model("toy", tmp_path) == path
    path.write_bytes(WHOLE.replace(b"and", b"AND"))
    with pytest.raises(ModelFileError, match=r"Delete it if it is still there, and pull again"):
        find_model("toy", tmp_path)


def test_a_file_changed_after_its_pull_is_noticed(tmp_path: Path) -> None:
    path, _ = fetch(tmp_path, Source())
    path.write_bytes(WHOLE[:-1])
    with pytest.raises(ModelFileError, match="is damaged: it has 20 bytes instead of 21"):
        find_model("toy", tmp_path)


def test_any_gguf_file_serves_and_nothing_else(tmp_path: Path) -> None:
    good, bad = tmp_path / "own.gguf", tmp_path / "own.txt"
    good.write_bytes(WHOLE)
    bad.write_text("not a model", "utf-8")
    assert find_model(str(good), tmp_path) == good
    with pytest.raises(ModelFileError, match="is not a GGUF model file"):
        find_model(str(bad), tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("toy", "is not on this computer yet. Fetch it .* r3con model pull toy"),
        ("nothing", "There is no model file 'nothing'.*one of these names"),
        ("hf:owner/repo/file.gguf", "r3con model pull hf:owner/repo/file.gguf"),
        ("hf:owner/../../file.gguf", "is not of the form hf:"),
        ("hf:file.gguf", "is not of the form hf:"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ModelFileError, match=said):
        find_model(name, tmp_path)
