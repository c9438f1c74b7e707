"""How long screens take in a real browser, from the click to what is painted, and what the server keeps in memory.

    python benchmarks/screens.py [--documents N] [--samples N] [--keep FOLDER]

A project of 5,000 documents, 50,000 records and a graph of 500 nodes is made in a folder that is thrown away. Painted:
the element that was waited for is there, nothing runs, and two animation frames have passed. A row tells the median, the
worst, what is demanded, the verdict, and the seconds that the server's processor took; the machine's load is told before
and after, since on a busy machine only the processor's seconds say much.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Locator, Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.screens_project import LONG_WORDS, make_project  # noqa: E402 - its path is set above
from r3con_core.records import Record  # noqa: E402
from r3con_core.store.project import Project, list_projects  # noqa: E402
from r3con_core.store.runs import list_runs  # noqa: E402
from tests.browser.app import Visit, running_app, visiting  # noqa: E402

DEMANDED, MEMORY_DEMANDED = 1.0, 1.2
"""Seconds at the median; memory after the page changes, over the first."""
PAGE_CHANGES = 50
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
QUIET = "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
PATIENCE = 60_000
"""Milliseconds for one sample."""

SIGNS = {
    "Documents": "[data-testid=stDataFrame]",
    "Question": "textarea",
    "Relevance": "[data-testid=stMain] [data-testid=stTabs]",
    "Schema": "[data-testid=stMain] [data-testid=stTabs]",
    "Data": "[data-testid=stDataFrame]",
    "Answer": "[data-testid=stMain] h1",
    "Changes": "[data-testid=stMain] h1",
    "Calls": "[data-testid=stMain] h1",
    "Compare": "[data-testid=stMain] h1",
}
"""What is on each page when it is there; its heading says which page it is."""
VIEWS = {
    "Graph": "[data-testid=stEChartsChart] canvas",
    "Hierarchy": ".js-plotly-plot .main-svg",
    "Timeline": ".js-plotly-plot .main-svg",
    "Support": ".js-plotly-plot .main-svg",
    "Plots": ".js-plotly-plot .main-svg",
    "Conflicts": "[data-testid=stMain] h1",
    "Names": "[data-testid=stMain] h1",
    "Tables": "[data-testid=stDataFrame]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One measurement, in seconds."""

    seconds: float
    """From the act to what is painted."""
    server: float
    """Of the server's processor meanwhile."""


def processor_of(server: psutil.Process) -> float:
    """Seconds of the processor that a process has taken."""
    taken = server.cpu_times()
    return float(taken.user + taken.system)


class Bench:
    """One window, and the samples taken in it by what was measured."""

    def __init__(self, visit: Visit, samples: int, server: psutil.Process) -> None:
        self.visit = visit
        self.page: Page = visit.page
        self.samples = samples
        self.server = server
        self.rows: dict[str, list[Sample]] = {}

    def time(self, name: str, act: Callable[[], object], painted: Callable[[], Locator]) -> None:
        """Take one sample: act, then wait until what it leads to is painted."""
        begun, worked = time.perf_counter(), processor_of(self.server)
        try:
            act()
            painted().wait_for(state="visible", timeout=PATIENCE)
            self.page.wait_for_selector(QUIET, timeout=PATIENCE)
            self.page.evaluate(FRAMES)
        except BrowserError as error:  # one row that hangs must not cost all others
            print(f"{name}: {str(error).splitlines()[0]}")
        taken = time.perf_counter() - begun
        self.rows.setdefault(name, []).append(Sample(seconds=taken, server=processor_of(self.server) - worked))

    def open(self, path: str) -> None:
        """Go to a page by its address; not measured."""
        self.page.goto(f"{self.visit.address}{path}")
        self.rest()

    def rest(self) -> None:
        """Let the window come to rest before the next sample."""
        self.page.wait_for_timeout(200)
        self.page.wait_for_selector(QUIET, timeout=PATIENCE)
        self.page.wait_for_timeout(300)

    def go(self, page: str) -> None:
        """One sample of opening a page by its link."""
        link = self.page.locator("[data-testid=stSidebar]").get_by_role("link", name=page).first
        heading = self.page.get_by_role("heading", name=page, exact=True).first

        def painted() -> Locator:
            heading.wait_for(state="visible", timeout=PATIENCE)
            return self.page.locator(SIGNS[page]).first

        self.time(f"open {page}", link.click, painted)
        self.rest()


def open_pages(bench: Bench) -> None:
    """Every page by its link, and a document out of the list."""
    links = bench.page.locator("[data-testid=stSidebar]").get_by_role("link").all_inner_texts()
    there = [name for name in SIGNS if any(name in text for text in links)]
    for sample in range(bench.samples + 1):
        for name in there:
            bench.go(name)
        if sample == 0:
            bench.rows = {f"{name}, the first time": rows for name, rows in bench.rows.items()}
    for name in set(SIGNS) - set(there):
        print(f"open {name}: there is no such page")


def open_views(bench: Bench) -> None:
    """Every view of the Data page."""
    bench.go("Data")
    for sample in range(bench.samples + 1):
        for name, sign in VIEWS.items():
            radio = bench.page.get_by_role("radio", name=name, exact=False).first
            label = f"data, view {name}" if sample else f"data, view {name}, the first time"
            bench.time(label, radio.click, lambda sign=sign: bench.page.locator(sign).first)
            bench.rest()


def filter_table(bench: Bench) -> None:
    """Words in the table of 35,000 payments, and all of them again."""
    bench.go("Data")
    find = bench.page.get_by_placeholder("Find in values and quotes")
    for sample in range(bench.samples):
        words = f"payment {sample + 11} freight"

        def search(words: str = words) -> None:
            find.fill(words)
            find.press("Enter")

        bench.time("filter a table by words", search, lambda: bench.page.get_by_text(" of 35,000 records").first)
        bench.rest()
        bench.time(
            "show all of it again",
            lambda: (find.fill(""), find.press("Enter")),
            lambda: bench.page.get_by_text("35,000 records. Choose").first,
        )
        bench.rest()


QUOTE_SHOWN = """() => [...document.querySelectorAll('*')].some((one) =>
  /^Quote \\d+ of /.test(one.shadowRoot?.querySelector('.quotes .status')?.textContent ?? ''))"""
"""Looked at in every frame: a locator looks at longer and longer intervals, half a second in the end."""


def quote_shown(page: Page) -> Locator:
    """The line that says which quote is shown, once it does."""
    page.wait_for_function(QUOTE_SHOWN, timeout=PATIENCE)
    return page.locator(".quotes .status").first


def open_evidence(bench: Bench, place: str, record: Record) -> None:
    """A record whose quote is in the long document, by pressing its row; and the document itself at the quote."""
    for _ in range(bench.samples):
        bench.open(f"/data{place}&view=tables&kind={record.type}")
        bench.page.locator("[data-testid=stDataFrame]").first.wait_for(timeout=PATIENCE)
        bench.rest()
        box = bench.page.locator("[data-testid=stDataFrame]").first.bounding_box()
        assert box is not None
        x, y = box["x"] + 14, box["y"] + 35 * 6 + 17
        bench.time(
            f"open evidence in a document of {LONG_WORDS:,} words",
            lambda x=x, y=y: bench.page.mouse.click(x, y),
            lambda: quote_shown(bench.page),
        )
        bench.rest()


def move_graph(bench: Bench, place: str) -> None:
    """A drag across the drawing: until two frames after the last move."""
    bench.open(f"/data{place}&view=graph")
    canvas = bench.page.locator("[data-testid=stEChartsChart] canvas").first
    canvas.wait_for(timeout=PATIENCE)
    bench.page.wait_for_timeout(2_000)
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["x"] + 30, box["y"] + box["height"] - 40
    for sample in range(bench.samples):
        along = 60 if sample % 2 else -60

        def drag(along: int = along) -> None:
            bench.page.mouse.move(x, y)
            bench.page.mouse.down()
            bench.page.mouse.move(x + along, y - 30, steps=8)
            bench.page.mouse.up()

        bench.time("move the graph, a drag of 8 moves", drag, lambda: canvas)
        bench.rest()


def server_of(port: int) -> psutil.Process:
    """The server's process."""
    for process in psutil.Process().children(recursive=True):
        if str(port) in process.cmdline():
            return process
    raise RuntimeError("the server is not one of our processes")


def change_pages(bench: Bench) -> tuple[float, float]:
    """Megabytes of the server after every page was seen once, and after so many page changes more."""
    pages = ("Documents", "Data", "Answer", "Relevance", "Schema")
    for name in pages:
        bench.go(name)
    before = bench.server.memory_info().rss / 1e6
    for change in range(PAGE_CHANGES):
        bench.go(pages[change % len(pages)])
    return before, bench.server.memory_info().rss / 1e6


@contextmanager
def project_in(kept: Path | None, documents: int) -> Iterator[tuple[Path, Project, str]]:
    """The home, the project and the run: those kept in a folder, or new ones."""
    if kept is not None and (kept / "projects").is_dir():
        (project,) = list_projects(kept / "projects")
        yield kept, project, list_runs(project)[0].id
        return
    with tempfile.TemporaryDirectory() as folder:
        home = kept or Path(folder)
        begun = time.perf_counter()
        project, run_id, _ = make_project(home / "projects", documents)
        print(f"made {documents:,} documents and {documents * 10:,} records in {time.perf_counter() - begun:.0f} s")
        yield home, project, run_id


HEAD = f"{'':45} {'median':>7} {'worst':>7} {'demanded':>9} {'server':>7}  verdict"


def tell(rows: dict[str, list[Sample]]) -> bool:
    """Print a line a row; whether every median is as demanded. The first time of anything is told, and not judged."""
    good = True
    for name, samples in rows.items():
        median = statistics.median(one.seconds for one in samples)
        judged = "first time" not in name
        verdict = ("good" if median < DEMANDED else "TOO SLOW") if judged else "not judged"
        good = good and verdict != "TOO SLOW"
        demanded = f"{DEMANDED:.2f}" if judged else ""
        server = statistics.median(one.server for one in samples)
        worst = max(one.seconds for one in samples)
        print(f"{name:45} {median:7.2f} {worst:7.2f} {demanded:>9} {server:7.2f}  {verdict}")
    return good


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a figure is not as demanded."""
    parser = argparse.ArgumentParser(description="Time screens in a real browser.")
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a folder for the project, used again when it is there")
    parser.add_argument("--only", nargs="*", choices=("pages", "views", "filter", "evidence", "graph", "memory"))
    chosen = parser.parse_args(arguments)
    with (
        project_in(chosen.keep, chosen.documents) as (home, project, run_id),
        running_app(home) as address,
        visiting(address) as visit,
    ):
        server = server_of(int(address.rpartition(":")[2]))
        return _measure(Bench(visit, chosen.samples, server), project, run_id, chosen.only)


def _measure(bench: Bench, project: Project, run_id: str, only: Sequence[str] | None) -> int:
    place = f"?project={project.folder.name}&run={run_id}"
    record = next(_records(project, run_id))
    bench.page.set_default_timeout(PATIENCE)
    bench.open(f"/data{place}")
    memory: list[tuple[float, float]] = []
    steps: dict[str, Callable[[], object]] = {
        "pages": lambda: open_pages(bench),
        "views": lambda: open_views(bench),
        "filter": lambda: filter_table(bench),
        "evidence": lambda: open_evidence(bench, place, record),
        "graph": lambda: move_graph(bench, place),
        "memory": lambda: memory.append(change_pages(Bench(bench.visit, bench.samples, bench.server))),
    }
    good = True
    print(f"load of the machine: {os.getloadavg()[0]:.1f}\n{HEAD}")
    for name, step in steps.items():
        if not only or name in only:
            bench.rows.clear()
            step()
            good = tell(bench.rows) and good
            sys.stdout.flush()
    for before, after in memory:
        ratio = after / before
        verdict = "good" if ratio <= MEMORY_DEMANDED else "TOO MUCH"
        print(
            f"memory of the server: {before:.0f} MB, after {PAGE_CHANGES} page changes {after:.0f} MB: {ratio:.2f} of it, "
            f"demanded {MEMORY_DEMANDED}: {verdict}"
        )
        good = good and verdict == "good"
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    return 0 if good else 1


def _records(project: Project, run_id: str) -> Iterator[Record]:
    """The records of the long document."""
    from r3con_core.overlay import data_of

    data = data_of(project, run_id)
    assert data is not None, "the project was made with records"
    yield from data.records


if __name__ == "__main__":
    sys.exit(main())
