"""The colours that style sheets name."""

import re
from colorsys import hls_to_rgb

_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*(\d+\.?\d*|\.\d+)(%)?)?\s*\)")
_HEX = re.compile(r"#([0-9a-f]{3,8})\b")
_HSL = re.compile(r"hsla?\(\s*(\d{1,4})(?:\.\d*)?(?:deg)?[\s,]+(\d{1,3})(?:\.\d*)?%[\s,]+(\d{1,3})(?:\.\d*)?%")
_COLOURS = {
    "white": (255, 255, 255),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "floralwhite": (255, 250, 240),
    "whitesmoke": (245, 245, 245),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
    "black": (0, 0, 0),
}

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each."""


def is_clear(colour: str) -> bool:
    """Whether nothing painted in it is seen."""
    rgb = _RGB.match(colour)
    if rgb and rgb[4]:
        return float(rgb[4]) / (100 if rgb[5] else 1) <= 0.02
    hexadecimal = _HEX.match(colour)
    digits = hexadecimal[1] if hexadecimal else ""
    return (
        colour == "transparent" or (len(digits) == 8 and digits[6:] == "00") or (len(digits) == 4 and digits[3] == "0")
    )


def read_colour(named: str) -> Colour | None:
    """Red, green and blue of a colour; None when it is not known, or stands among other words."""
    named = named.strip().lower()
    if re.search(r"url\(|gradient|var\(", named):
        return None
    if rgb := _RGB.search(named):
        return int(rgb[1][:3]), int(rgb[2][:3]), int(rgb[3][:3])
    if hsl := _HSL.search(named):
        shares = hls_to_rgb(int(hsl[1]) % 360 / 360, min(int(hsl[3]), 100) / 100, min(int(hsl[2]), 100) / 100)
        red, green, blue = (round(255 * share) for share in shares)
        return red, green, blue
    if (found := _HEX.search(named)) and len(found[1]) in (3, 4, 6, 8):
        digits = found[1] if len(found[1]) > 4 else "".join(digit * 2 for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    return _COLOURS.get(named.split(" ")[0]) if named else None
