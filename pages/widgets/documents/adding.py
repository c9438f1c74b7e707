"""Adding documents to a project: upload, folder path, sample corpus."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.widgets import state
from pages.widgets.documents import upload
from pages.widgets.errors import plain, shown
from pages.widgets.words import count
from r3con_core.corpora import (
    GUTENBERG,
    GUTENBERG_HOST,
    add_dracula,
    add_sample,
    decode_book,
    fetch_book,
    read_book,
    sample_corpora,
)
from r3con_core.errors import CorpusError
from r3con_core.holdings import never_send
from r3con_core.importer import start_importer
from r3con_core.imports import Added, OnProgress, add_uploads, plan_import
from r3con_core.readers import Outcome
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import ReadSettings
from r3con_core.store.project import Project
from r3con_core.team import team_here

UPLOAD, FOLDER, SAMPLE = "Upload", "Folder on this computer", "Sample corpus"
_DROP = "drop-zone"
_GOOD = {Outcome.READ.value, Outcome.READ_WITH_WARNINGS.value}


def show(project: Project) -> None:
    """The three ways, one at a time."""
    wished, team = state.wished_sample(), team_here()
    way = st.segmented_control(
        "Where are they?",
        [UPLOAD, SAMPLE] if team and not team.folders else [UPLOAD, FOLDER, SAMPLE],
        format_func=lambda one: "Folder on the server" if team and one == FOLDER else one,
        default=SAMPLE if wished else UPLOAD,
        required=True,
        key="add-from",
    )
    if way == UPLOAD:
        _upload(project)
    elif way == FOLDER:
        _folder(project)
    else:
        _samples(project, wished)


def _upload(project: Project) -> None:
    def on_sent() -> None:
        told = upload.sent(_DROP)
        unread = f" {count(told['unread'], 'file')} gave none: see the ledger." if told["unread"] else ""
        state.leave_message(f"{count(told['documents'], 'new document')} from {count(told['files'], 'file')}.{unread}")

    upload.drop_zone(project, key=_DROP, on_sent=on_sent)
    where = "the server" if team_here() else "this computer"
    st.caption(f"Files are copied into the project on {where}. Nothing is sent anywhere by adding them.")
    with st.expander("Plain upload, if the one above does not work"):
        files = st.file_uploader("Files", accept_multiple_files=True, key="plain-upload")
        if st.button("Add these files", disabled=not files):
            _run(
                lambda told: add_uploads(project, [(file.name, Content.held(file.getvalue())) for file in files], told)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What was written in the form of a folder to read."""

    path: str
    never: tuple[str, ...]
    settings: ReadSettings
    password: str


def _folder(project: Project) -> None:
    team = team_here()
    if team:
        st.caption(f"Folders that may be read: {', '.join(plain(str(folder)) for folder in team.folders)}")
    wish = _ask_for_folder()
    st.caption("It goes on by itself when this page is closed, and can be stopped and resumed.")
    if wish is None:
        return
    with shown():
        if not wish.path:
            st.warning("Write the path of a folder or file first.")
            return
        if wish.never:
            never_send(project, wish.never, author=state.analyst())
        with st.spinner("Counting the files"):
            import_id = plan_import(project, [typed_path(wish.path)], wish.settings)
        start_importer(project, import_id, passwords=(wish.password,) if wish.password else ())
        state.wish_for_sample("")
        st.rerun()


def _ask_for_folder() -> _Wish | None:
    """What was written, when the button was pressed just now."""
    with st.form("folder", border=False):
        path = st.text_input(
            "Path of a folder or file",
            placeholder="/home/you/documents",
            help="It is read with everything in it. Best for many or large files: nothing passes through the browser.",
        )
        never = st.text_input(
            "Never send to a model (optional)",
            placeholder="legal, *.pst",
            help="Folders and files in it, by name or path, with commas between. You can change that later, under Held back.",
        )
        with st.expander("How to read it", type="compact"):
            settings, password = _ask_how()
        if not st.form_submit_button("Read it", type="primary"):
            return None
    patterns = tuple(pattern.strip() for pattern in never.split(",") if pattern.strip())
    return _Wish(path=path.strip(), never=patterns, settings=settings, password=password)


def _ask_how() -> tuple[ReadSettings, str]:
    """How pages without text are read, and a password for locked files."""
    ocr = st.toggle(
        "Recognise text in pictures of pages (OCR)",
        value=True,
        help="Only pages without usable text are recognised, on this computer. It takes seconds a page.",
    )
    languages = st.text_input(
        "Languages of those pages",
        "eng",
        help="As Tesseract names them, with a plus between: eng+deu+ara. Each must be installed.",
    )
    password = st.text_input(
        "Password to try on locked files",
        type="password",
        help="Left empty, you are asked for each locked file afterwards. It is not kept.",
    )
    named = tuple(languages.replace("+", " ").split()) or ("eng",)
    return ReadSettings(ocr=ocr, ocr_languages=named), password


def typed_path(written: str) -> Path:
    """The path that someone typed; CorpusError for one that cannot be."""
    try:
        path = Path(written.strip()).expanduser()
    except RuntimeError as error:
        raise CorpusError("Nobody of the name after ~ has a folder here. Write the whole path.") from error
    if "\0" in written:
        raise CorpusError("This is no path. Write it as the file manager shows it.")
    return path


def _samples(project: Project, wished: str) -> None:
    samples = {sample.name: sample for sample in sample_corpora()}
    names = list(samples)
    name = st.radio(
        "Which one?",
        names,
        index=names.index(wished) if wished in names else 0,
        format_func=lambda one: samples[one].title,
        captions=[plain(sample.about) for sample in samples.values()],
        key="sample",
    )
    sample = samples[name]
    if sample.in_book:
        _book(project)
        return
    if st.button(f"Add the {count(len(sample.paths), 'document')} of {sample.title}", type="primary"):
        _run(lambda told: add_sample(project, name, told))


def _book(project: Project) -> None:
    with st.container(border=True):
        st.write("The documents are cut from the novel's text. Give the file **pg345.txt**, or have it downloaded.")
        path = st.text_input("Path of pg345.txt on this computer", key="book-path")
        given = st.file_uploader("or upload it", type="txt", key="book-upload")
        if st.button("Make the documents from this file", type="primary", disabled=not (path.strip() or given)):
            text = decode_book(given.getvalue()) if given else None
            _run(lambda told: add_dracula(project, text or read_book(typed_path(path)), told))
        st.caption(
            f"Downloading connects once to {GUTENBERG_HOST}, which learns this computer's address and that you fetch "
            f"the book ({plain(GUTENBERG)}, 0.9 MB). Nothing of yours is sent."
        )
        if st.button(f"Download it from {GUTENBERG_HOST}", icon=":material/download:"):
            with st.spinner(f"Downloading from {GUTENBERG_HOST}"):
                _run(lambda told: add_dracula(project, decode_book(fetch_book()), told))


def _run(add: Callable[[OnProgress], Added]) -> None:
    """Add with a progress bar, then show what came of it on the list of documents."""
    bar = st.progress(0.0, "Reading")

    def told(done: int, total: int, path: str) -> None:
        bar.progress(done / max(total, 1), f"{done:,} of {total:,}: {plain(path)}")

    added = None
    with shown():
        added = add(told)
    bar.empty()
    if added is None:
        return
    state.wish_for_sample("")
    state.leave_message(summary(added))
    st.rerun()


def summary(added: Added) -> str:
    """What became of a loading, in a sentence or two."""
    text = f"{count(added.documents, 'new document')}."
    repeated = sum(1 for line in added.lines if line.outcome == Outcome.DUPLICATE.value)
    unread = sum(1 for line in added.lines if line.outcome not in {*_GOOD, Outcome.DUPLICATE.value})
    if repeated:
        text += f" {count(repeated, 'file')} already here."
    held = sum(1 for line in added.lines if line.outcome == Outcome.HELD_BACK.value)
    unread -= held
    if held:
        text += f" {count(held, 'document')} held back."
    if unread:
        text += f" {count(unread, 'file')} gave no document: see the ledger for why."
    return text
