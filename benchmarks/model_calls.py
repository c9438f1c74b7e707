"""What model calls cost, and what becomes of a run when they fail, row by row, beside the authors' package.

    python benchmarks/model_calls.py [--only ROW ...] [--peer | --peer-python PATH] [--simulator PATH] [--json FILE]

All rows are measured on a simulated endpoint (`sim_server.py`, by default in the folder `shared/tools` beside the
repository), by worker processes as the app starts them. The other side is r3context 0.3.0 from PyPI: `--peer` installs
it in an environment that is thrown away, `--peer-python` is the Python of one that has it. Exit status 1 when a row
that was measured is not as demanded.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from calls.cost_rows import dracula, imports, room, short_400, short_1000, throughput
from calls.estimate_rows import estimates
from calls.fault_rows import capped, failing, killed, small_window
from calls.peer import Peer, make_peer
from calls.rows import Line, Setting, scratch
from calls.servers import SIMULATOR

from r3con_core.errors import R3ConError

ROWS: dict[int, Callable[[Setting], list[Line]]] = {
    1: dracula,
    2: short_400,
    3: short_1000,
    4: throughput,
    5: room,
    6: imports,
    7: small_window,
    8: failing,
    9: capped,
    10: estimates,
    11: killed,
}


def main() -> int:
    """Measure and print; 1 when something is not as demanded."""
    chosen = _arguments()
    if not chosen.simulator.is_file():
        print(f"There is no simulator at {chosen.simulator}. Give its place with --simulator PATH.")
        return 2
    with ExitStack() as stack:
        os.environ["R3CON_HOME"] = str(stack.enter_context(scratch()))
        peer = Peer(python=chosen.peer_python.absolute()) if chosen.peer_python else None
        if chosen.peer:
            peer = make_peer(stack.enter_context(scratch()) / "peer")
        setting = Setting(simulator=chosen.simulator.resolve(), peer=peer)
        lines = [line for row in chosen.only or ROWS for line in _row(row, setting)]
    if chosen.json:
        told = [{**asdict(line), "ratio": line.ratio} for line in lines]
        chosen.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    failed = sum(line.passed is False for line in lines)
    print(f"\n{sum(line.passed is True for line in lines)} as demanded, {failed} not")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what model calls cost, row by row.")
    parser.add_argument("--only", type=int, nargs="+", choices=sorted(ROWS), metavar="ROW", help="1 to 11")
    parser.add_argument("--simulator", type=Path, default=SIMULATOR)
    peer = parser.add_mutually_exclusive_group()
    peer.add_argument(
        "--peer", action="store_true", help="install r3context 0.3.0 for this measurement, and measure it"
    )
    peer.add_argument("--peer-python", type=Path, help="the Python of an environment that has r3context 0.3.0")
    parser.add_argument("--json", type=Path, help="write all figures there as well")
    return parser.parse_args()


def _row(row: int, setting: Setting) -> Sequence[Line]:
    try:
        lines = ROWS[row](setting)
    except (R3ConError, OSError, subprocess.SubprocessError) as error:
        lines = [Line(row=row, measure=ROWS[row].__name__, ours_said=f"could not be measured: {error}", passed=False)]
    for line in lines:
        _show(line)
    sys.stdout.flush()
    return lines


def _show(line: Line) -> None:
    verdict = {None: "", True: "pass", False: "FAIL"}[line.passed]
    print(f"\n{line.row:>2}  {line.measure}")
    if line.peer is not None or line.peer_said:
        print(f"      theirs   {_figure(line.peer)} {line.peer_said}".rstrip(" ;"))
    print(f"      ours     {_figure(line.ours)} {line.ours_said}".rstrip(" ;"))
    ratio = f"{line.ratio:.3f} x" if line.ratio is not None else ""
    demanded = f"demanded {line.demanded}" if line.demanded else "nothing demanded"
    print(f"      {'; '.join(said for said in (ratio, demanded, verdict) if said)}")


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


if __name__ == "__main__":
    raise SystemExit(main())
