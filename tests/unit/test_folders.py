"""Folders and files that are never sent, by name, by path, within archives and by their whole path."""

import pytest

from r3con_core.folders import naming_pattern, places_of


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("legal", "case/legal/a.txt", True),
        ("LEGAL", "case/Legal/deep/a.txt", True),
        ("legal", "case/legally/a.txt", False),
        ("legal", "case/a legal note.txt", False),
        ("legal/advice", "case/legal/advice/a.txt", True),
        ("legal/advice", "case/legal/other/advice/a.txt", False),
        ("board\\minutes", "case/board/minutes/a.txt", True),
        ("legal", "mails.zip > case/legal/a.eml > b.pdf", True),
        ("mails.zip > case", "x/mails.zip > case/a.txt", True),
        ("*.pst", "box/anna.PST > Inbox/1", True),
        ("counsel*", "case/Counsel 2019/a.txt", True),
        ("a.txt", "case/a.txt", True),
        ("./legal/", "case/legal/a.txt", True),
        ("/home/ann/case/legal", "/home/ann/case/legal/a.txt", True),
        ("/home/ann/case/legal", "/home/bob/home/ann/case/legal/a.txt", False),
        ("/home/ann/case/legal", "legal/a.txt", True),
        ("/home/ann/case/legal", "case/legal/a.txt", True),
        ("/home/ann/case/legal", "case/a.txt", False),
        ("C:\\case\\legal", "legal/a.txt", True),
        ("caf\u00e9", "cafe\u0301/a.txt", True),
        ("../case/legal", "case/legal/a.txt", True),
        ("~/case/legal", "/home/ann/case/legal/a.txt", True),
        ("/home/ann/x/../case/legal", "/home/ann/case/legal/a.txt", True),
        ("/home/ann/case/legal", "case.zip > x/../../legal/a.txt", True),
        ("/home/ann/case/legal", "..", False),
        ("legal", "case/le\u200bgal\u00ad/a.txt", True),
        ("\u03aa\u0301", "case/\u0390/a.txt", True),
        ("..", "case/a.txt", False),
        ("/", "case/a.txt", False),
        ("", "case/a.txt", False),
        ("[2019] board", "case/[2019] Board/b.txt", True),
        ("[ab]", "case/a/b.txt", False),
    ],
)
def test_a_pattern_names_what_lies_in_it(pattern: str, path: str, named: bool) -> None:
    assert bool(naming_pattern([path], [pattern])) is named


def test_the_whole_path_is_that_of_what_was_read() -> None:
    assert places_of("a.txt", ["/home/ann/legal/a.txt", "/home/ann/b"]) == ("a.txt", "/home/ann/legal/a.txt")
    assert naming_pattern(places_of("a.txt", ["/home/ann/legal/a.txt"]), ["/home/ann/legal"]) == "/home/ann/legal"
