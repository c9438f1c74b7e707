"""Numbers of workbooks as they are meant: dates as ISO 8601, percentages and currencies beside the stored value."""

import re
from datetime import datetime, timedelta
from functools import lru_cache

_BUILT_IN = {
    **dict.fromkeys((9, 10), "0%"),
    **dict.fromkeys((14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 55, 56), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    **dict.fromkeys((45, 47), "mm:ss"),
    46: "[h]:mm:ss",
}
"""What the format numbers below 164 mean; the format of dates is up to the reader's computer, and not needed."""
_UNSHOWN = re.compile(r"\\.|_.|\*.|\[(?:[A-Za-z]+|color ?\d+|[<>=][^\]]*|\$-[^\]]*|DBNum\d)\]", re.IGNORECASE)
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_WORDS = re.compile(r'"([^"]*)"')
_CURRENCY = re.compile(r"\[\$([^\]-]+)(?:-[^\]]*)?\]|([$€£¥₽₴₺₹])")
_LAST_SERIAL = 2_958_465
"""31 December 9999."""
_DAY = 86_400


def number_text(stored: str) -> str:
    """A number as people write the value that is stored: 0.1 for 0.10000000000000001, 27600 for 27600.0."""
    digits = stored[1:] if stored[:1] == "-" else stored
    if digits.isdecimal():
        return stored
    try:
        value = float(stored)
    except ValueError:
        return stored
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


@lru_cache(maxsize=4096)
def number_format(code: str) -> "NumberFormat":
    """What a format's code does to a number."""
    return NumberFormat(code)


def built_in_format(number: int) -> str:
    """The code of a format that files only give by number; empty for the plain ones."""
    return _BUILT_IN.get(number, "")


class NumberFormat:
    """How a cell shows its number, as far as that changes what it means."""

    def __init__(self, code: str) -> None:
        """`code` as Excel writes it, in up to four sections of which the first counts here."""
        section = _section(code)
        self._elapsed = bool(_ELAPSED.search(section))
        currency = _CURRENCY.search(section)
        words = " ".join(_WORDS.findall(section)).strip()
        bare = _WORDS.sub("", _UNSHOWN.sub("", _CURRENCY.sub("", _ELAPSED.sub("h", section)))).lower()
        bare = bare.replace("am/pm", "h").replace("a/p", "h").replace("general", "")
        self._has_date = bool(re.search(r"[yde]", bare)) or ("m" in bare and not re.search("[hs]", bare))
        self._has_time = bool(re.search(r"[hs]", bare)) or self._elapsed
        self._percent = "%" in bare
        self._zeros = len(bare) if bare and not bare.strip("0") else 0
        self._sign = "" if self._has_date or self._has_time else ((currency and (currency[1] or currency[2])) or words)
        self._thousands = len(bare) - len(bare.rstrip(",")) if "0," in bare else 0

    @property
    def is_time(self) -> bool:
        """Numbers are dates, times of the day or lengths of time."""
        return self._has_date or self._has_time

    def show(self, stored: str, *, base_1904: bool) -> str:
        """The number as it is meant: a date or time, or the value with its percentage, currency or leading zeros."""
        text = number_text(stored)
        if self.is_time:
            return self._time(stored, base_1904=base_1904) or text
        if self._percent:
            return f"{text} ({_scaled(stored, 100)}%)"
        if self._zeros > 1 and text.isdecimal() and len(text) < self._zeros:
            return f"{text} (shown as {text.zfill(self._zeros)})"
        sign = self._sign or ""
        if self._thousands and sign:
            return f"{text} (shown in {'thousands' if self._thousands == 1 else 'millions'}, {sign})"
        return f"{text} ({sign})" if sign else text

    def _time(self, stored: str, *, base_1904: bool) -> str:
        try:
            serial = float(stored)
        except ValueError:
            return ""
        if self._elapsed:
            return _length(serial)
        if not 0 <= serial <= _LAST_SERIAL:
            return ""
        seconds = round((serial % 1) * _DAY)
        if not self._has_date:
            return _clock(seconds) if serial < 1 else _date(serial, base_1904=base_1904) + " " + _clock(seconds % _DAY)
        day = _date(serial + (seconds == _DAY), base_1904=base_1904)
        return f"{day} {_clock(seconds % _DAY)}" if seconds % _DAY else day


def _section(code: str) -> str:
    """The first of the sections, which a semicolon ends that is not in quotes."""
    return re.match(r'(?:"[^"]*"|\\.|[^;"\\]|["\\])*', code)[0]  # type: ignore[index] # it matches anything


def _scaled(stored: str, by: int) -> str:
    try:
        return number_text(repr(round(float(stored) * by, 10)))
    except (ValueError, OverflowError):
        return stored


def _date(serial: float, *, base_1904: bool) -> str:
    """Excel counts a 29 February 1900 that never was, so that 1900 has two beginnings."""
    if base_1904:
        return (datetime(1904, 1, 1) + timedelta(days=int(serial))).date().isoformat()  # noqa: DTZ001 - a day only
    shift = 1 if serial < 60 else 0
    return (datetime(1899, 12, 30) + timedelta(days=int(serial) + shift)).date().isoformat()  # noqa: DTZ001 - a day only


def _clock(seconds: int) -> str:
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    return f"{text}:{seconds % 60:02}" if seconds % 60 else text


def _length(days: float) -> str:
    seconds = round(abs(days) * _DAY)
    return f"{'-' if days < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
