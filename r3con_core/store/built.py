"""What methods built on the way to their answers, as rows: one for each name within a run."""

from r3con_core.store.codec import dump, load
from r3con_core.store.project import Project
from r3con_core.store.runs import next_seq
from r3con_core.traces import Built, Trace


def save_built(project: Project, run_id: str, built: Built) -> None:
    """Keep it, in place of what was kept under its name; its place among the others stays."""
    with project.change() as db:
        db.execute(
            "insert into built (run_id, name, built, seq) values (?, ?, ?, ?)"
            " on conflict (run_id, name) do update set built = excluded.built, seq = excluded.seq",
            (run_id, built.name, dump(built, Built), next_seq(db, run_id)),
        )


def load_built(project: Project, run_id: str) -> Trace:
    """All of a run, in the order in which they were first kept."""
    rows = project.db.execute("select built from built where run_id = ? order by number", (run_id,))
    return tuple(load(row["built"], Built) for row in rows)


def built_sizes(project: Project, run_id: str) -> tuple[tuple[str, int], ...]:
    """The name and the number of items of each, in the same order, without reading the items."""
    rows = project.db.execute(
        "select name, json_array_length(built, '$.items') as items from built where run_id = ? order by number",
        (run_id,),
    )
    return tuple((row["name"], row["items"]) for row in rows)


def clear_built(project: Project, run_id: str) -> None:
    """Forget what a run built, before it is carried again."""
    with project.change() as db:
        db.execute("delete from built where run_id = ?", (run_id,))
        next_seq(db, run_id)
