"""Walks an RTF file word by word; one pass, with a list of open groups instead of recursion."""

import re
from collections.abc import Callable

from r3con_core.documents import FindingKind
from r3con_core.errors import CorpusError
from r3con_core.readers.docx_looks import BLACKENED, Look
from r3con_core.readers.marks import Note
from r3con_core.readers.ooxml import by_and_when
from r3con_core.readers.rtf_letters import Letters
from r3con_core.readers.rtf_state import (
    CHARSETS,
    OPTIONAL_TEXT,
    PASSED_OVER,
    SIGNS,
    STORIES,
    TAKEN,
    Frame,
    State,
    code_page,
    date_of,
)

_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]{1,40})(?P<number>-?[0-9]{1,11})?[ ]?"
    r"|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}]+)|(?P<other>.)",
    re.DOTALL,
)
_MOST_GROUPS = 20_000
"""Groups inside each other; beyond, a file is made to do harm."""
_LEVELS = {"fs": "half_points", "cf": "colour", "cb": "ground", "highlight": "marked", "chcbpat": "ground"}
_REVISIONS = {
    "revauth": ("authors", 0),
    "revauthdel": ("authors", 1),
    "revdttm": ("dates", 0),
    "revdttmdel": ("dates", 1),
}
_DATE_PARTS = frozenset(("yr", "mo", "dy", "hr", "min"))
_COLOURS = frozenset(("red", "green", "blue"))
_MOST_FALLBACK = 16


class RtfWalk:
    """Collects the body, what stands apart from it, and what the file states about itself."""

    def __init__(self) -> None:
        self.body = Frame()
        self.frames: list[Frame] = []
        self.said: dict[str, str] = {}
        self.objects: list[str] = []
        self.change_authors: set[str] = set()
        self._state = State(frame=self.body)
        self._groups: list[State] = []
        self._letters = Letters()
        self._default, self._default_font = "cp1252", 0
        self._fonts: dict[int, str] = {}
        self._colours: list[str] = []
        self._authors: list[str] = []
        self._unseen: dict[tuple[bool, int, int, int, int, bool], str] = {}
        """Why letters cannot be seen, by what they look like."""
        self._to_skip = 0
        self._comment_author = ""
        self._counts = {"footnote": 0, "endnote": 0}
        self._broken_off = False
        self._tokens: dict[str, Callable[[str], None]] = {
            "text": self._plain_text,
            "hex": lambda token: self._put_bytes(bytes.fromhex(token[2:])),
            "open": lambda _: self._open(),
            "close": lambda _: self._close(),
            "symbol": lambda token: self._symbol(token[1:]),
        }
        self._words = self._on_words()

    def _on_words(self) -> dict[str, Callable[[int | None], None]]:
        """What to do at a control word."""
        return {
            **dict.fromkeys(("par", "page", "sect", "column"), lambda _: self._end_paragraph()),
            "cell": lambda _: self._structure(Frame.end_cell),
            "row": lambda _: self._structure(Frame.end_row),
            "nestcell": lambda _: self._structure(Frame.end_inner_cell),
            "nestrow": lambda _: self._structure(Frame.end_inner_row),
            "intbl": lambda _: setattr(self._state, "in_table", True),
            "pard": lambda _: setattr(self._state, "in_table", False),
            "plain": lambda _: self._state.plain(),
            "u": self._unicode,
            "uc": lambda number: setattr(self._state, "fallback", min(max(number or 0, 0), _MOST_FALLBACK)),
            "v": lambda number: setattr(self._state, "hidden", number != 0),
            "ansicpg": lambda number: self._set_default(code_page(number or 1252)),
            "mac": lambda _: self._set_default("mac_roman"),
            "pc": lambda _: self._set_default("cp437"),
            "pca": lambda _: self._set_default("cp850"),
            "deff": lambda number: setattr(self, "_default_font", number or 0),
            "f": lambda number: setattr(self._state, "font", number or 0),
            "fcharset": self._charset,
            "cpg": lambda number: self._fonts.update({self._state.font or 0: code_page(number or 1252)}),
            "revised": lambda number: setattr(self._state, "change", "revised" if number != 0 else ""),
            "deleted": lambda number: setattr(self._state, "change", "deleted" if number != 0 else ""),
            "ftnalt": lambda _: setattr(self._state.frame, "kind", "endnote"),
        }

    def of_kind(self, kind: str) -> list[Frame]:
        """The notes, comments, page headers or footers that have something in them."""
        return [frame for frame in self.frames if frame.kind == kind and frame.pieces]

    def damage(self) -> tuple[str, ...]:
        """A sentence when the file breaks off."""
        return ("The file breaks off before its end; the text up to there was read.",) if self._broken_off else ()

    def walk(self, rtf: str) -> None:
        """Take all of a file, its bytes as the letters of the same numbers."""
        at, match = 0, _TOKEN.match
        while (token := match(rtf, at)) is not None:
            at = token.end()
            if token.lastgroup in ("word", "number"):
                at += self._word(token["word"], None if token["number"] is None else int(token["number"]))
            elif token.lastgroup in self._tokens:
                self._tokens[token.lastgroup](token[0])
            if token.lastgroup == "close" and not self._groups:
                break
        self._broken_off = bool(self._groups)
        while self._groups:
            self._close()
        self._letters.flush()
        self.body.finish()

    # groups

    def _open(self) -> None:
        if len(self._groups) >= _MOST_GROUPS:
            raise CorpusError("nested too deeply to be read, as files made to do harm are")
        self._to_skip = 0
        self._groups.append(self._state)
        self._state = self._state.within()

    def _close(self) -> None:
        self._to_skip = 0
        if not self._groups:
            return
        self._letters.flush()
        ended, self._state = self._state, self._groups.pop()
        if ended.data is not None and self._state.data is None:
            self.objects.append("".join(ended.data))
        if ended.frame is not self._state.frame:
            self._end_frame(ended.frame)

    def _begin(self, word: str) -> bool:
        """Whether a word begins a group of its own kind, or one that is passed over."""
        optional, self._state.optional = self._state.optional, False
        if word in STORIES:
            self._begin_story(STORIES[word])
        elif word in TAKEN:
            self._state.frame = Frame(kind=word)
        elif word == "objdata":
            self._state.data = []
        elif word in PASSED_OVER or (optional and word not in OPTIONAL_TEXT):
            self._state.skipped = True
        else:
            return False
        return True

    def _begin_story(self, kind: str) -> None:
        frame = Frame(kind=kind, anchor=self._state.frame.piece)
        if kind == "comment":
            frame.author, self._comment_author = self._comment_author, ""
        self._state.frame = frame
        self._state.in_table = False
        self.frames.append(frame)

    def _end_frame(self, frame: Frame) -> None:
        if frame.kind in TAKEN:
            self._end_stated(frame)
            return
        frame.finish()
        if frame.kind == "text box":
            for piece in frame.pieces:
                piece.kind = "text box" if piece.kind == "paragraph" else piece.kind
            self._state.frame.boxes += frame.pieces
        elif frame.kind in self._counts and any(piece.line.has_text for piece in frame.pieces):
            self._counts[frame.kind] += 1
            frame.number = self._counts[frame.kind]
            self._put(f"[{frame.number}]" if frame.kind == "footnote" else f"[endnote {frame.number}]")

    def _end_stated(self, frame: Frame) -> None:
        text = frame.text.strip()
        match frame.kind:
            case "title" | "author":
                self.said[frame.kind] = text
            case "creatim" | "revtim":
                parts = [frame.values.get(part, 0) for part in ("yr", "mo", "dy", "hr", "min")]
                year, month, day, hour, minute = parts
                if year and 1 <= month <= 12 and 1 <= day <= 31:
                    self.said[frame.kind] = f"{year:04d}-{month:02d}-{day:02d}T{hour % 24:02d}:{minute % 60:02d}:00"
            case "revtbl":
                self._authors = [name.strip() for name in text.split(";")]
            case "atnauthor":
                self._comment_author = text
            case "atndate" if text.lstrip("-").isdecimal() and len(text) < 12:
                self._state.frame.date = date_of(int(text) & 0xFFFFFFFF)
            case _:
                pass

    # words

    def _word(self, word: str, number: int | None) -> int:
        """Do what a control word says; gives how many of the letters behind it are no text but raw bytes."""
        if word == "bin":
            return max(number or 0, 0)
        state = self._state
        if state.skipped or self._begin(word):
            return 0
        if word in self._words:
            self._words[word](number)
        elif word in SIGNS:
            self._put(SIGNS[word])
        elif word in _LEVELS:
            setattr(state, _LEVELS[word], number or 0)
        elif word in _REVISIONS:
            name, place = _REVISIONS[word]
            pair = list(getattr(state, name))
            pair[place] = number or 0
            setattr(state, name, tuple(pair))
        elif word in _COLOURS or word in _DATE_PARTS:
            state.frame.values[word] = number or 0
        return 0

    def _symbol(self, sign: str) -> None:
        if sign == "*":
            self._state.optional = True
        elif self._state.skipped:
            return
        elif sign in "\r\n":
            self._end_paragraph()
        elif sign in "\\{}":
            self._put_bytes(sign.encode())
        elif sign in SIGNS:
            self._put(SIGNS[sign])

    def _set_default(self, encoding: str) -> None:
        self._default = encoding

    def _charset(self, number: int | None) -> None:
        if number is not None and self._state.frame.kind == "fonttbl" and number in CHARSETS:
            self._fonts[self._state.font or 0] = CHARSETS[number]

    def _structure(self, change: Callable[[Frame], None]) -> None:
        self._letters.flush()
        change(self._state.frame)

    def _end_paragraph(self) -> None:
        self._letters.flush()
        self._state.frame.end_paragraph(in_cell=self._state.in_table)

    # text

    def _plain_text(self, text: str) -> None:
        state = self._state
        if state.data is not None:
            state.data.append(text)
            return
        if state.skipped:
            return
        text = text.replace("\r", "").replace("\n", "")
        if state.frame.kind == "colortbl":
            for _ in range(text.count(";")):
                self._colours.append(
                    "".join(f"{state.frame.values.get(part, 0) & 255:02x}" for part in ("red", "green", "blue"))
                )
                state.frame.values.clear()
        elif text:
            self._put_bytes(text.encode("latin-1"))

    def _put_bytes(self, data: bytes) -> None:
        if self._state.skipped:
            return
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        if skipped < len(data):
            font = self._default_font if self._state.font is None else self._state.font
            encoding = self._fonts.get(font) or self._default
            self._letters.add(self._state.frame, data[skipped:], encoding, self._note())

    def _put(self, text: str) -> None:
        if self._to_skip:
            self._to_skip -= 1
        elif not self._state.skipped:
            self._letters.add_text(self._state.frame, text, self._note())

    def _unicode(self, number: int | None) -> None:
        self._to_skip = 0
        self._letters.add_unit(self._state.frame, (number or 0) & 0xFFFF, self._note())
        self._to_skip = self._state.fallback

    def _note(self) -> Note | None:
        """What is noteworthy about text that stands here."""
        state = self._state
        if state.change == "deleted":
            return self._change_note(FindingKind.DELETED, state.authors[1], state.dates[1])
        if state.frame.kind not in TAKEN and (why := self._why_unseen(state)):
            return Note(kind=FindingKind.COVERED if why == BLACKENED else FindingKind.UNSEEN, detail=why)
        if state.change == "revised":
            return self._change_note(FindingKind.INSERTED, state.authors[0], state.dates[0])
        return None

    def _why_unseen(self, state: State) -> str:
        look = (state.hidden, state.half_points, state.colour, state.ground, state.marked, state.in_table)
        if look not in self._unseen:
            stated = Look(
                hidden=state.hidden,
                half_points=state.half_points or None,
                colour=self._colour(state.colour),
                shaded=bool(state.ground or state.marked or state.in_table),
                ground=self._colour(state.ground),
                marked=self._colour(state.marked),
            )
            self._unseen[look] = stated.why_unseen(on_white=True)
        return self._unseen[look]

    def _colour(self, number: int) -> str:
        return self._colours[number].casefold() if 0 < number < len(self._colours) else ""

    def _change_note(self, kind: FindingKind, author: int, date: int) -> Note:
        name = self._authors[author] if 0 <= author < len(self._authors) else ""
        self.change_authors.add(name)
        return Note(kind=kind, detail=by_and_when("" if name == "Unknown" else name, date_of(date & 0xFFFFFFFF)))
