"""`r3con verify`: whether a run, or an evidence bundle from anywhere, holds, line by line."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from r3con_core.cli.commands import FAILED, OK, OPEN
from r3con_core.cli.exchanging import read_bundle
from r3con_core.cli.places import find_run
from r3con_core.cli.screen import one_line, say, say_line, tell
from r3con_core.errors import StoreError
from r3con_core.verify.bundles import NOT_PROVED, check_log, verify_bundle
from r3con_core.verify.replay import replay_run
from r3con_core.verify.runs import Check, Outcome, faults_of, verify_run

_CODES = {Outcome.BROKEN: FAILED, Outcome.OPEN: OPEN, Outcome.HOLDS: OK}


def verify(options: argparse.Namespace) -> int:
    """Check a run of a project, or the file of a bundle."""
    file = Path(options.run).expanduser()
    if options.run and file.is_file():
        return _bundle(file, options.sources)
    if options.sources:
        raise StoreError("--sources goes with the file of a bundle; make one with: r3con export RUN")
    return _run(options)


def _bundle(file: Path, sources: str | None) -> int:
    tell("Checking; no model is asked and nothing is sent.")
    report = verify_bundle(read_bundle(file), Path(sources).expanduser() if sources else None)
    say_line(f"{report.run}: {report.question}")
    say_line(f"Made by {report.made_by}.")
    if report.chain:
        say_line(f"Hash of the bundle (SHA-256): {report.chain}")
    return _tell_all(report.checks, report.run)


def _run(options: argparse.Namespace) -> int:
    project, run = find_run(options.run, options.folder)
    found = verify_run(project, run.id)
    code = _tell_all((*found.checks, *check_log(project), *replay_run(project, run.id)), run.id)
    counts = f"{found.documents:,} documents, {found.records:,} records with {found.quotes:,} quotes"
    say(f"{run.id}: {counts} and {found.calls:,} calls checked.")
    return code


def _tell_all(checks: Sequence[Check], run_id: str) -> int:
    """Say what came of each, then what none of them shows; the exit code."""
    for check in checks:
        say_line(f"{check.outcome.value}: {check.what}")
        for fault in check.faults:
            say(f"  FAULT: {one_line(fault)}")
        if check.open:
            say(f"  {one_line(check.open)}")
    say("Not shown by any of this:")
    for unproved in NOT_PROVED:
        say(f"- {unproved}")
    outcomes = {check.outcome for check in checks}
    worst = next(outcome for outcome in _CODES if outcome in outcomes)
    faults = len(faults_of(checks))
    told = {
        Outcome.BROKEN: f"{faults:,} {'fault' if faults == 1 else 'faults'} found.",
        Outcome.OPEN: "Nothing wrong was found, but not all could be checked.",
        Outcome.HOLDS: "All holds.",
    }
    say_line(f"{run_id}: {told[worst]}")
    return _CODES[worst]
