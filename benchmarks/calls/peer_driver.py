"""Run in the other side's environment: its pipeline over one job, and its seconds in told.json beside the job."""

import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Read the job named on the command line, do it, tell; what ends it early is on stderr."""
    place = Path(sys.argv[1])
    job = json.loads(place.read_text("utf-8"))
    import r3con

    begun = time.perf_counter()
    r3con.run(
        job["question"],
        job["documents"],
        model="openai/sim",
        relevance_rounds=job["rounds"],
        api_base=job["api_base"],
        api_key="none",
    )
    seconds = time.perf_counter() - begun
    place.with_name("told.json").write_text(json.dumps({"seconds": seconds}), "utf-8")


if __name__ == "__main__":
    main()
