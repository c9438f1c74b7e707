"""A person's consent, asked for once what a command takes, and where text goes, has been told."""

import sys

from r3con_core.cli.commands import FAILED, USAGE
from r3con_core.cli.screen import confirm, tell


def refusal(question: str, *, yes: bool) -> int | None:
    """The exit code where somebody says no, or nobody is there to be asked; None to go on. `yes`: agreed before."""
    if yes:
        return None
    if not sys.stdin.isatty():
        tell("Nothing was sent. Add --yes to start without being asked.")
        return USAGE
    if confirm(question):
        return None
    tell("Nothing was sent.")
    return FAILED
