"""Row 10: what was estimated against what was billed; `estimates.py` beside `model_calls.py` measures it."""

import subprocess
import sys

from calls.rows import Line, Setting
from calls.servers import BENCHMARKS

_SCRIPT = BENCHMARKS / "estimates.py"


def estimates(setting: Setting) -> list[Line]:
    """Ten runs of different shape."""
    if not _SCRIPT.is_file():
        return [Line(row=10, measure="estimate against what was billed", ours_said=f"not measured: no {_SCRIPT.name}")]
    command = [sys.executable, str(_SCRIPT), "--simulator", str(setting.simulator)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout.strip().splitlines()[-1:] or done.stderr.strip().splitlines()[-1:]
    return [
        Line(
            row=10,
            measure="10 runs: estimate against what was billed",
            ours_said="".join(said),
            demanded="likely within 25 %, range always holds",
            passed=done.returncode == 0,
        )
    ]
