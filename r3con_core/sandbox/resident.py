"""How much memory another process holds, for engines whose system does not limit it."""

import os
import subprocess
from pathlib import Path


def resident_mb(pid: int) -> int:
    """Megabytes in memory; 0 when the process is gone. OSError where neither /proc nor ps can be asked."""
    if Path("/proc/self/statm").exists():
        try:
            return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
        except (FileNotFoundError, ProcessLookupError):
            return 0
    shown = subprocess.run(
        ["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False, env={}
    )
    return int(shown.stdout) >> 10 if shown.stdout.strip().isdigit() else 0
