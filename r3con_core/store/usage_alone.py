"""What the calls of a run used as if none of their replies had been kept from another run."""

from collections.abc import Sequence

from r3con_core.exchange import Stage, Usage
from r3con_core.store.project import Project
from r3con_core.store.usage import summed


def usage_alone(project: Project, run_id: str, bounds: Sequence[int]) -> tuple[tuple[Stage, int, int, Usage], ...]:
    """By stage and by which of the ascending `bounds` their prompts exceed: a length they have at least, calls, usage."""
    band = " + ".join(["0", *(f"(prompt_tokens > {int(bound)})" for bound in bounds)])
    rows = project.db.execute(
        f"""
        select stage, {band} as band, count(*) as calls, sum(prompt_tokens) as prompt, sum(cached_tokens) as cached,
               sum(written_tokens) as written, sum(output_tokens) as output, min(counted) as counted
        from run_calls join calls using (key) where run_id = ? group by stage, band
        """,
        (run_id,),
    )
    return tuple(
        (Stage(row["stage"]), bounds[row["band"] - 1] + 1 if row["band"] else 0, row["calls"], summed(row))
        for row in rows
    )


def seconds_alone(project: Project, run_id: str) -> float:
    """All its calls took so long, added up."""
    row = project.db.execute(
        "select total(seconds) from run_calls join calls using (key) where run_id = ?", (run_id,)
    ).fetchone()
    return float(row[0])
