"""Run in the other side's environment: its pipeline over one job, and what came of it in told.json beside the job."""

import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Read the job named on the command line, do it, tell."""
    place = Path(sys.argv[1])
    job = json.loads(place.read_text("utf-8"))
    import r3con  # type: ignore[import-not-found]

    told: dict[str, object] = {}
    begun = time.perf_counter()
    try:
        answer = r3con.run(
            job["question"],
            job["documents"],
            model="openai/sim",
            relevance_rounds=job["rounds"],
            api_base=job["api_base"],
            api_key="none",
        )
        told["answer"] = str(answer)
    except Exception as error:  # noqa: BLE001 - whatever ends it is what is measured
        told["error"] = f"{type(error).__name__}: {error}"[:400]
    told["seconds"] = time.perf_counter() - begun
    place.with_name("told.json").write_text(json.dumps(told), "utf-8")


if __name__ == "__main__":
    main()
