"""`r3con hold`: which documents are never sent to a model."""

import argparse

from r3con_core.cli.commands import OK
from r3con_core.cli.places import one_project
from r3con_core.cli.screen import say_line, tell
from r3con_core.holdings import never_send
from r3con_core.home import user
from r3con_core.store.documents import list_documents
from r3con_core.store.holding import list_holding


def hold(options: argparse.Namespace) -> int:
    """Add folders and files to those that are never sent; without any, list them and the documents held back."""
    project = one_project(folder=options.folder, name=options.project)
    if options.patterns:
        held = never_send(project, options.patterns, author=user())
        documents = "document is" if held == 1 else "documents are"
        tell(f"{held:,} more {documents} held back from every model. It holds for those to come too.")
        return OK
    for pattern in list_holding(project).get("folders", ()):
        say_line("never sent", pattern)
    for line in list_documents(project):
        if line.held:
            say_line("held back", line.path, line.held)
    return OK
