"""What encoding some bytes are in, by how well what they would say reads: its letters, their order and their case."""

import codecs
from collections import Counter
from collections.abc import Iterator, Sequence

_SIGNS_LOOKED_AT = 2_000
_GOOD_ENOUGH = 0.45
"""Fit below which the wider knowledge of charset-normalizer is asked; right ones measured 0.6 to 1."""

_MARKS = frozenset("’‘“”„‚«»‹›–—…€£§°•¿¡™®©№·\xa0\xad²³½¼×ºª")  # noqa: RUF001 - these very signs are meant
_LATIN = (
    "éèàêçôâîûùœïëüÿæ",  # French
    "üäößé",  # German
    "óáéíñúü",  # Spanish
    "èàùòéìíó",  # Italian
    "ãçáéíóõêâúôàü",  # Portuguese
    "óèàíéçúïòü",  # Catalan
    "øåæäöé",  # Danish, Norwegian, Swedish, Finnish
    "áðíéóþúæöý",  # Icelandic
    "ëéïöüèêáóúíä",  # Dutch
    "łąęóżśćńź",  # Polish
    "íáéřěšžčýůúňťďó",  # Czech
    "áíéčšžúýťľňôďóäĺŕ",  # Slovak
    "áéőöíóüúű",  # Hungarian
    "ăîâşţșț",  # Romanian
    "čšžćđ",  # Croatian, Slovene, Bosnian
    "ıüşğöçâîûi̇",  # noqa: RUF001 - Turkish
    "ėšžūųįąęč",  # Lithuanian
    "āīēšūļņžčķģ",  # Latvian
    "äõüöšž",  # Estonian
    "ëç",  # Albanian
    "áéíóúâêŵôîŷïàèìòùäëöüûý",  # Irish, Welsh
)
_CYRILLIC = (
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "оаниівретслкмудпзяьбгчйхцєжїшюфщґ",
    "оанітерслвкдупмзяыьгбчйўхцжшюёфэ",
    "аиоентрсвлкдпмзугябъчцщжхшюфйь",
    "аоиенрстјукдвлмпзгбчшжцћхљњђфџќѓѕ",
)
_GREEK = ("αοιετσνηυρπκμλςάίόέήύώωθδγφχβξζψϊϋΐΰ",)
_HEBREW = ("יוהלאתרבשםמנעכדקפסגטזחצןךףץ",)
_ARABIC = ("اليمنوتربعدسفهكقحجةشصطخضذأإىءزثغئظؤآپچژگکی",)
_THAI = ("านรอกเงมยลวดทตสต่้ีิัปบคหแะจพขใไชุูื์ำโถผซณศธษภึญฟฝ็ฐฉฏฒฤฆ",)

_WIDE_OR_NARROW = (
    (_LATIN, ("cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2", "iso8859_15")),
    (_LATIN, ("cp850", "cp852", "mac_roman", "cp437", "mac_latin2", "cp857", "cp775")),
    (_CYRILLIC, ("cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5", "mac_cyrillic", "cp855")),
    (_GREEK, ("cp1253", "iso8859_7", "cp737")),
    (_HEBREW, ("cp1255", "iso8859_8", "cp862")),
    (_ARABIC, ("cp1256", "iso8859_6")),
    (_THAI, ("cp874", "tis_620")),
)

_COMMON = {
    "gb18030": (
        "的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
        "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把"
        "机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果"
        "加西斯月话合回特代内信表化老给世位次度门付款司元"
    ),
    "big5hkscs": (
        "的一是不了在有人我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然"
        "家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把"
        "機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果"
        "加西斯月話合回特代內信表化老給世位次度門付款司元"
    ),
    "cp949": (
        "이다는의에을가고하로를은지사도기한어서나자인리시아일대정들라그부해수으제전보니만게주스여것있장었관과원구상조동"
        "성적면공우소산안경마국오유연화성계내요거세방중모신실무선학발분간생당했개때교"
    ),
}


def is_broken_utf8(sample: bytes) -> bool:
    """Whether `sample` is UTF-8 but for a few bytes, or for its end."""
    good = bad = 0
    for sign in sample.decode("utf-8", "replace"):
        good += sign > "\x7f" and sign != "\ufffd"
        bad += sign == "\ufffd"
    return good >= 3 and good >= 2 * bad


def guess_encoding(sample: bytes) -> str:
    """The encoding, as Python names it, in which `sample` reads best; windows-1252 when none does."""
    if _is_ebcdic(sample):
        return "cp500"
    fits = [(fit, name) for name in _ASIAN if (fit := _asian_fit(sample, name))]
    for alphabets, names in _WIDE_OR_NARROW:
        fits += [(_fit(sample, name, alphabets), name) for name in names]
    best, name = max(fits, key=lambda held: held[0])
    return name if best >= _GOOD_ENOUGH else _normalizers_guess(sample) or "cp1252"


def _normalizers_guess(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(sample[:20_000]).best()
    return best.encoding if best else None


def _is_ebcdic(sample: bytes) -> bool:
    """Whether the letters, digits and blanks are where IBM's large computers have them."""
    if not sample or sample.count(0x40) < len(sample) / 100:
        return False
    as_ascii = sum(0x61 <= byte <= 0x7A or byte == 0x20 for byte in sample)
    text = sample.decode("cp500")
    usual = sum(sign.isascii() and (sign.isalnum() or sign.isspace() or sign in ".,;:-/'\"()") for sign in text)
    return as_ascii < 0.3 * len(sample) and usual > 0.9 * len(text)


def _unusual(text: str) -> Iterator[tuple[str, str, str]]:
    """Each sign beyond ASCII with the one before it and the one after it."""
    padded = f" {text} "
    left = _SIGNS_LOOKED_AT
    for at, sign in enumerate(text, 1):
        if sign > "\x7f":
            yield padded[at - 1], sign, padded[at + 1]
            left -= 1
            if not left:
                return


def _fit(sample: bytes, name: str, alphabets: Sequence[str]) -> float:
    """How well the signs beyond ASCII are letters of one language in places where letters stand; at most 1."""
    counts: Counter[tuple[str, float]] = Counter()
    marks = total = 0.0
    of_latin = alphabets is _LATIN
    for before, sign, after in _unusual(sample.decode(name, "replace")):
        total += 1
        if sign.isalpha() or (not of_latin and sign > "\u0e00"):
            counts[sign.lower(), _standing(before, sign, after, of_latin=of_latin)] += 1
        else:
            marks += _mark_value(before, sign, after)
    values = (_values(letters, of_latin=of_latin) for letters in alphabets)
    best = max(sum(count * worth.get(sign, 0.05) * by for (sign, by), count in counts.items()) for worth in values)
    return (best + marks) / total if total else 0.0


def _values(letters: str, *, of_latin: bool) -> dict[str, float]:
    """What each letter of an alphabet in the order of frequency is worth; Latin ones have only their accented ones."""
    worth = (1.0, 0.93, 0.85) if of_latin else (1.0, 0.8, 0.4)
    ends = (len(letters) * 0.4, len(letters) * 0.7)
    ranked = reversed(tuple(enumerate(letters)))
    return {letter: worth[(rank >= ends[0]) + (rank >= ends[1])] for rank, letter in ranked}


def _standing(before: str, sign: str, after: str, *, of_latin: bool) -> float:
    """How fitting a letter's neighbours are, 0 to 1."""
    if sign.isupper() and (before.islower() or (before.isalpha() and after.islower())):
        return 0.1
    if sign.isupper() and before.isupper():
        return 0.9
    if sign.islower() and before.isupper() and after.isupper():
        return 0.3
    if of_latin:
        alone = before > "\x7f" and after > "\x7f" and before.isalpha() and after.isalpha()
        return 0.3 if alone else 1.0
    beside_latin = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
    return 0.1 if beside_latin else 1.0


def _mark_value(before: str, sign: str, after: str) -> float:
    if "\u2500" <= sign <= "\u259f":
        return 0.7 if sign in {before, after} or before.isspace() or after.isspace() else 0.1
    inside = before.isalpha() and after.isalpha()
    if sign in _MARKS:
        return 0.9 if not inside or sign in "’·\xad" else 0.1
    return -0.5 if sign < "\xa0" or sign == "\ufffd" else 0.2


_ASIAN = ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949")


def _asian_fit(sample: bytes, name: str) -> float:
    """How well `sample` reads as Chinese, Japanese or Korean; 0 when it is not valid in this encoding."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeError:
        return 0.0
    signs = list(_unusual(text))
    if not signs:
        return 0.0
    in_runs = sum(before > "\x7f" or after > "\x7f" for before, _, after in signs)
    mixed = sum(_is_letter(before) and _is_letter(after) for before, _, after in signs)
    if in_runs < 0.5 * len(signs) or mixed > 0.2 * len(signs):
        return 0.0
    worth = sum(_asian_value(sign, name) for _, sign, _ in signs) / len(signs)
    return 0.5 * worth + 0.5 * _commonness([sign for _, sign, _ in signs], name)


def _is_letter(sign: str) -> bool:
    return sign.isascii() and sign.isalpha()


def _commonness(signs: list[str], name: str) -> float:
    """1 when a quarter of the signs are among the most common ones of the language, less when fewer are."""
    words = [sign for sign in signs if sign.isalpha()]
    if name in ("cp932", "euc_jp"):
        common = sum("\u3040" <= sign <= "\u30ff" for sign in words)
        level_one = sum(_asian_value(sign, name) >= 0.8 for sign in words)
        return min(1.0, 4 * common / max(len(words), 1) + 0.6 * level_one / max(len(words), 1))
    common = sum(sign in _COMMON[name] for sign in words)
    return min(1.0, 4 * common / max(len(words), 1))


def _asian_value(sign: str, name: str) -> float:
    """1 for a sign of the language's everyday set, little for what only a wrong reading gives."""
    if (
        "\u3001" <= sign <= "\u3011"
        or "\uff01" <= sign <= "\uff5e"
        or sign in "\u3000\u2014\u2026\u201c\u201d\u2018\u2019\xb7"
    ):
        return 0.9
    if "\u3040" <= sign <= "\u30ff":
        return 1.0 if name in ("cp932", "euc_jp") else 0.2
    if not sign.isalpha() or sign < "\u3000":
        return 0.2
    return _level(sign, name)


def _level(sign: str, name: str) -> float:
    """Whether an ideograph or syllable is in the first, common part of the national standard."""
    if name in ("cp932", "euc_jp"):
        code = sign.encode("cp932", "ignore")
        return 0.9 if len(code) == 2 and 0x88 <= code[0] <= 0x97 else 0.2
    code = sign.encode(name, "ignore")
    if len(code) != 2:
        return 0.0
    if name == "cp949":
        return (1.0 if code[1] >= 0xA1 else 0.1) if "\uac00" <= sign <= "\ud7a3" else 0.2
    if name == "gb18030":
        return (0.9 if code[0] <= 0xD7 else 0.3) if code[0] >= 0xB0 and code[1] >= 0xA1 else 0.1
    return 0.9 if 0xA4 <= code[0] <= 0xC6 else 0.2
