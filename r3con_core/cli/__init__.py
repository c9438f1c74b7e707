"""The command line: `r3con`."""

from r3con_core.cli.commands import main

__all__ = ["main"]
