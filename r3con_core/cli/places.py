"""Projects and runs as they are named on the command line."""

import shlex
from pathlib import Path

from r3con_core.cli.screen import tell
from r3con_core.errors import StoreError
from r3con_core.home import home_folder, projects_folder
from r3con_core.jobs import reconcile
from r3con_core.runs import Run
from r3con_core.store.project import (
    FILE,
    Project,
    create_project,
    create_project_in,
    open_project,
    project_slug,
)
from r3con_core.store.runs import list_runs


def find_projects(folder: str | None) -> tuple[Project, ...]:
    """The project in `folder`, or else all of the home that can be opened; the dead among their workers are noticed."""
    projects = [open_project(Path(folder).expanduser())] if folder else _all_projects()
    for project in projects:
        reconcile(project)
    return tuple(projects)


def _all_projects() -> list[Project]:
    projects = []
    for file in sorted(projects_folder(home_folder()).glob(f"*/{FILE}")):
        try:
            projects.append(open_project(file.parent))
        except StoreError as error:
            tell(f"r3con: {error}")  # one broken project must not hide the others
    return projects


def open_or_create(*, folder: str | None, name: str | None) -> tuple[Project, bool]:
    """The project in this folder, or else of this name, and whether it was made just now; StoreError without either."""
    if folder:
        place = Path(folder).expanduser()
        if (place / FILE).exists():
            return open_project(place), False
        return create_project_in(place, place.resolve().name), True
    root = projects_folder(home_folder())
    slug = project_slug(name or "")
    if slug and (root / slug / FILE).exists():
        return open_project(root / slug), False
    return create_project(root, name or ""), True


def one_project(*, folder: str | None, name: str | None) -> Project:
    """The project in this folder, or of this name, or the only one there is. StoreError when that leaves it open."""
    if folder:
        return open_project(Path(folder).expanduser())
    if name:
        return open_project(projects_folder(home_folder()) / (project_slug(name) or "-"))
    projects = _all_projects()
    if len(projects) != 1:
        names = ", ".join(project.name for project in projects)
        raise StoreError(f"Say which project with --project: {names}." if names else "There are no projects yet.")
    return projects[0]


def all_runs(projects: tuple[Project, ...]) -> list[tuple[Project, Run]]:
    """Every run with its project, newest first."""
    found = [(project, run) for project in projects for run in list_runs(project)]
    return sorted(found, key=lambda pair: pair[1].created, reverse=True)


def find_run(name: str, folder: str | None) -> tuple[Project, Run]:
    """The run called `name`, or whose name ends so; the newest where `name` is empty. StoreError when not one."""
    runs = all_runs(find_projects(folder))
    if not runs:
        raise StoreError("There are no runs yet. Begin one with: r3con ask QUESTION PATH")
    if not name:
        return runs[0]
    found = [(project, run) for project, run in runs if run.id == name or run.id.endswith(name)]
    if not found:
        raise StoreError(f"There is no run {name!r}. See all with: r3con runs")
    if len(found) > 1:
        places = " or ".join(f"--in {project.folder}" for project, _ in found)
        raise StoreError(f"More than one run ends in {name!r}. Give its whole name, or its project: {places}")
    return found[0]


def run_words(project: Project, run_id: str) -> str:
    """How to name this run in another command: its id, and its project's folder when that is not in the home."""
    if project.folder.resolve().parent == projects_folder(home_folder()).resolve():
        return run_id
    return f"{run_id} --in {shlex.quote(str(project.folder))}"
