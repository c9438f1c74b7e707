"""Names of record types and fields, made usable from whatever a model, a file or a person calls them."""

import keyword
import re


def type_name(name: str) -> str:
    """`name` as a record type's: "payment record" becomes PaymentRecord."""
    words = re.findall(r"[^\W_]+", name)
    return _usable("".join(word[:1].upper() + word[1:] for word in words), "Thing")


def field_name(name: str) -> str:
    """`name` as a field's: "Paid on" and "paidOn" become paid_on."""
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))
    return _usable("_".join(word.lower() for word in words), "value")


def _usable(name: str, otherwise: str) -> str:
    if not name:
        return otherwise
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) else name
