"""What is estimated before a run against what the simulator bills, in ten runs of different shape.

Each run is estimated twice: by one who has never met the model, and by one who has learnt from the other runs.

    python benchmarks/estimates.py --simulator PATH/TO/sim_server.py
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from calls import servers
from calls.documents import BOOK, QUESTION, dracula_project, short_project

from r3con_core.answers import Mode
from r3con_core.costs import CostRange, cost_so_far, expected_cost, known_of
from r3con_core.documents import Source, make_document
from r3con_core.estimates.calibration import learn_from
from r3con_core.estimates.estimate import Estimate, estimate_run
from r3con_core.exchange import Usage
from r3con_core.figures import Figure
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.models import Prices, endpoint_for
from r3con_core.models.prices import set_price
from r3con_core.runs import Layout, RunState
from r3con_core.store.calls import usage_by_stage
from r3con_core.store.documents import LedgerEntry, add_documents, list_documents
from r3con_core.store.project import Project, create_project_in
from r3con_core.worker import work

FLAGS = {"prefill": 50_000_000, "decode": 500_000, "latency": 0, "cache-tokens": 50_000_000}
PRICES = Prices(input=1.0, cached=0.1, cache_write=1.0, output=4.0, source="invented")
WITHIN = 0.25
_SOLD = "Alfred Penn sold {} crates of rye to Ida Sorrel at Town Quay and was paid {} pounds on {} May 1931. "
_FILLED = "The weather was calm, the tide was out, and nobody at the quay could say afterwards who had been there. "


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One run."""

    name: str
    project: Callable[[Path], Project]
    rounds: int = 2
    mode: Mode = Mode.CODING
    window: int = 262_144
    layout: Layout = Layout.SHARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """What a run used and what had been expected of it."""

    usage: Usage
    calls: int
    money: float
    expected: dict[str, tuple[Estimate, CostRange]] = field(default_factory=dict)
    """By who estimated: "unknown", "learnt"."""

    def lines(self, who: str) -> Iterator[tuple[str, Figure | CostRange, float]]:
        """What was expected and what came, for each measure."""
        estimate, money = self.expected[who]
        yield "calls", estimate.calls, self.calls
        yield "prompt", estimate.prompt, self.usage.prompt
        yield "cached", estimate.cached, self.usage.cached
        yield "output", estimate.output, self.usage.output
        yield "money", money, self.money


def english(words: Sequence[int]) -> Callable[[Path], Project]:
    """Documents of about so many words."""
    return lambda folder: _project(folder, [_letter(number, count) for number, count in enumerate(words, 1)])


def chinese(letters: Sequence[int]) -> Callable[[Path], Project]:
    """Documents of about so many ideographs."""
    sold = "{}日潘先生在码头卖给孙女士{}箱黑麦,收到{}英镑现金。"
    filled = "那天天气平静,潮水已退,事后码头上没有人说得出谁曾在那里。"

    def text(number: int, count: int) -> str:
        said = "".join(sold.format(number % 28 + 1, number + each, 40 + each) for each in range(4))
        return said + filled * max(0, (count - len(said)) // len(filled))

    return lambda folder: _project(folder, [text(number, count) for number, count in enumerate(letters, 1)])


def _letter(number: int, words: int) -> str:
    said = "".join(_SOLD.format(number + each, 40 + each, (number + each) % 28 + 1) for each in range(3))
    return (f"Letter {number}. {said}" + _FILLED * max(0, (words - 70) // 20)).strip()


def _project(folder: Path, texts: Sequence[str]) -> Project:
    project = create_project_in(folder, "Estimates")
    documents = [
        make_document(
            title=f"letter {n}", text=text, source=Source(path=f"{n:05}.txt", sha256="", media_type="text/plain")
        )
        for n, text in enumerate(texts, 1)
    ]
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents]
    add_documents(project, documents, lines)
    return project


def shapes() -> list[Shape]:
    """The ten."""
    chance = random.Random(5)
    mixed = [round(60 * 200 ** chance.random()) for _ in range(40)]
    book = dracula_project if BOOK.exists() else english(mixed + [9000] * 6)
    return [
        Shape(name="5 short, direct", project=lambda f: short_project(folder=f, count=5), rounds=1, mode=Mode.DIRECT),
        Shape(name="12 of 600 words", project=english([600] * 12)),
        Shape(name="250 in a small window", project=lambda f: short_project(folder=f, count=250), window=8192),
        Shape(name="300 short, 3 rounds", project=lambda f: short_project(folder=f, count=300), rounds=3),
        Shape(name="Dracula", project=book),
        Shape(name="20 of 5,000 words, 1 round", project=english([5000] * 20), rounds=1, mode=Mode.DIRECT),
        Shape(name="40 mixed, 3 rounds", project=english(mixed), rounds=3),
        Shape(name="30 Chinese", project=chinese([900] * 30)),
        Shape(name="15 long in parts", project=english([9000] * 15), window=8192),
        Shape(name="80 short, paper's order", project=lambda f: short_project(folder=f, count=80), layout=Layout.PAPER),
    ]


@contextmanager
def simulator(path: Path) -> Iterator[servers.Server]:
    """The simulator with the replies of this measurement."""
    told = servers.SCRIPT
    servers.SCRIPT = Path(__file__).with_name("estimate_answers.py")
    try:
        with servers.simulator(path, FLAGS) as server:
            yield server
    finally:
        servers.SCRIPT = told


def main() -> int:
    """Print the ten runs; 0 when all ranges held and, once learnt, each likely figure was near enough."""
    options = argparse.ArgumentParser()
    options.add_argument("--simulator", type=Path, required=True)
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as root, simulator(chosen.simulator) as server:
        ran = _run_all([shape for shape in shapes() if chosen.only in shape.name], Path(root), server)
    return _report(ran)


def _run_all(chosen: Sequence[Shape], root: Path, server: servers.Server) -> dict[str, Billed]:
    done: dict[str, Billed] = {}
    runs: list[tuple[Shape, Project, str]] = []
    for number, shape in enumerate(chosen):
        project, home = shape.project(root / f"project{number}"), root / f"home{number}"
        server.clear()
        run_id, billed = _bill(shape, project, home, server.url)
        runs.append((shape, project, run_id))
        done[shape.name] = billed
        print(shape.name, "ran", file=sys.stderr, flush=True)
    for shape, project, run_id in runs:
        learnt = root / f"learnt-{run_id}"
        set_price(learnt, endpoint_for("sim", server.url), PRICES)
        for _, other, other_id in runs:
            if other_id != run_id:
                learn_from(other, other_id, learnt)
        done[shape.name].expected["learnt"] = _expect(shape, project, learnt, server.url)
    return done


def _choices(shape: Shape, url: str) -> RunChoices:
    reading = ModelChoice(model="sim", base_url=url, window=shape.window, workers=16)
    return RunChoices(reading=reading, rounds=shape.rounds, mode=shape.mode, layout=shape.layout, straight_through=True)


def _expect(shape: Shape, project: Project, home: Path, url: str) -> tuple[Estimate, CostRange]:
    choices = _choices(shape, url)
    tokens = [line.tokens for line in list_documents(project)]
    estimate = estimate_run(tokens, choices.settings(), known_of(project, choices.reading, home))
    money = expected_cost(estimate, choices.reading, None, home)
    assert money is not None
    return estimate, money


def _bill(shape: Shape, project: Project, home: Path, url: str) -> tuple[str, Billed]:
    set_price(home, endpoint_for("sim", url), PRICES)
    unknown = _expect(shape, project, home, url)
    run = create_run(project, QUESTION, _choices(shape, url), home=home)
    state = work(project, run.id, home)
    if state is not RunState.DONE:
        raise SystemExit(f"{shape.name}: {state.value}")
    stages = usage_by_stage(project, run.id)
    paid = cost_so_far(project, run.id, home)
    assert paid is not None
    return run.id, Billed(
        usage=sum((stage.usage for stage in stages), Usage()),
        calls=sum(stage.calls for stage in stages),
        money=paid.amount,
        expected={"unknown": unknown},
    )


def _report(ran: dict[str, Billed]) -> int:
    held = near = measured = 0
    print(f"{'run':28}{'measure':9}{'billed':>13}  {'by':9}{'low':>13}{'likely':>13}{'high':>14}{'off':>8}")
    off_by: dict[str, list[float]] = {}
    for name, billed in ran.items():
        for who in billed.expected:
            for measure, expected, came in billed.lines(who):
                off = expected.likely / came - 1 if came else 0.0
                inside = expected.low <= came <= expected.high
                measured, held = measured + 1, held + inside
                off_by.setdefault(f"{who} {measure}", []).append(off)
                print(
                    f"{name:28}{measure:9}{came:13,.4g}  {who:9}{expected.low:13,.4g}{expected.likely:13,.4g}"
                    f"{expected.high:14,.4g}{off:+8.0%}{'' if inside else '  OUTSIDE'}"
                )
    for key, offs in off_by.items():
        print(
            f"{key}: worst {max(map(abs, offs)):.0%}, within 25 %: {sum(abs(off) <= WITHIN for off in offs)}/{len(offs)}"
        )
    near = [off for key, offs in off_by.items() if key.split()[1] in ("prompt", "money") for off in offs]
    ok = held == measured and all(abs(off) <= WITHIN for off in near)
    print(
        f"ranges held {held} of {measured}; prompt tokens and money within 25 %: "
        f"{sum(abs(off) <= WITHIN for off in near)} of {len(near)}, worst {max(map(abs, near)):.0%}"
    )
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
