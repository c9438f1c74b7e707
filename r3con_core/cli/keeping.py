"""`r3con rescue`, `purge` and `audit`: projects that are damaged, that shall go, and what was done to them."""

import argparse
import sys
from pathlib import Path

from r3con_core.audit import faults_of_log, hidden_entries, read_anchor, withheld_words
from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.exchanging import written
from r3con_core.cli.places import one_project
from r3con_core.cli.screen import ask_line, say, say_line, tell
from r3con_core.errors import StoreError
from r3con_core.exports.noted import lines_of
from r3con_core.home import home_folder, projects_folder
from r3con_core.purge import purge as purge_folder
from r3con_core.store.audit import anchor_of, list_acts, switch_off, switch_on
from r3con_core.store.project import project_slug
from r3con_core.store.rescue import rescue as rescue_folder

_ON, _OFF = "on", "off"


def rescue(options: argparse.Namespace) -> int:
    """Put a new file in place of a damaged one, with all that can be saved; the old one is kept."""
    told = rescue_folder(_folder(options.folder))
    tell(f"The project {told.project.name!r} in {told.project.folder} was made anew.")
    for sentence in told.sentences:
        say_line(sentence)
    return OK


def _folder(named: str) -> Path:
    """A folder as it is named, or the folder of the project of the home that is called so."""
    folder = Path(named).expanduser()
    at_home = projects_folder(home_folder()) / (project_slug(named) or "-")
    return at_home if at_home.is_dir() and not folder.is_dir() else folder


def purge(options: argparse.Namespace) -> int:
    """Remove a project wholly, after its name or folder was written once more."""
    folder = _folder(options.project)
    if not options.yes:
        tell(
            f"This removes the project in {folder}: documents, prompts, replies, records, answers. It cannot be undone."
        )
        if ask_line(f"Write {folder.name} to go on: ") != folder.name:
            tell("Nothing was removed.")
            return FAILED
    told = purge_folder(folder)
    for sentence in told.sentences:
        say_line(sentence)
    return FAILED if told.left else OK


def switch(options: argparse.Namespace) -> int:
    """Switch a project's audit log on or off, which is an entry itself."""
    project = one_project(folder=options.folder, name=options.project)
    with project.change() as db:
        (switch_on if options.to == _ON else switch_off)(db, "")
    say(f"The audit log of {project.name!r} is {options.to}.")
    return OK


def show_acts(options: argparse.Namespace) -> int:
    """The entries, oldest first, and what to note elsewhere."""
    project = one_project(folder=options.folder, name=options.project)
    for act in list_acts(project.db):
        say_line(str(act.number), act.at, act.author, act.event or "(of another run)", act.words)
    return _tell_anchor(project.name, anchor_of(project.db))


def _tell_anchor(name: str, anchor: object | None) -> int:
    if anchor is None:
        tell(f"The audit log of {name!r} is empty. Switch it on with: r3con audit on --project NAME")
    else:
        tell(f"Note this elsewhere, so that nobody can cut the log or make it anew unseen: {anchor}")
    return OK


def verify_acts(options: argparse.Namespace) -> int:
    """Whether the log is as it was written, and goes on from an anchor that was noted."""
    project = one_project(folder=options.folder, name=options.project)
    anchor = read_anchor(options.anchor) if options.anchor else None
    if options.anchor and anchor is None:
        raise StoreError("An anchor is a number, a colon and 64 digits and letters, as: r3con audit show")
    acts = list_acts(project.db)
    faults = (*faults_of_log(acts, anchor), *hidden_entries(acts))
    for fault in faults:
        say_line(f"FAULT: {fault}")
    against = "" if anchor else " Whether its end was cut off, only an anchor shows: --anchor"
    say(
        f"{len(faults):,} faults found."
        if faults
        else f"All {len(acts):,} entries hold. {withheld_words(acts)}{against}"
    )
    return FAILED if faults else OK


def export_acts(options: argparse.Namespace) -> int:
    """The log as lines of JSON."""
    project = one_project(folder=options.folder, name=options.project)
    data = lines_of(list_acts(project.db))
    if options.out:
        return written(Path(options.out), data)
    sys.stdout.write(data.decode("utf-8", "replace"))
    return OK
