"""How often a real judge agrees with what written answers are: about twenty for each rule of judging.

    python benchmarks/judge.py --model NAME [--base-url URL] [--key-env VARIABLE] [--rule RULE ...] [--json FILE]

The answers are those of `tests/judging/cases.py`. Without an address the model is started on this computer. Each
disagreement is printed with the judge's reason; the exit status is 1 when a judge agrees with fewer than nine of ten.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from r3con_core.errors import NoUsableReplyError
from r3con_core.exchange import Ask, converse
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, ModelChoice
from r3con_core.judging import Case, judge
from r3con_core.models import host_and_port
from r3con_core.opening import open_model
from r3con_core.verdicts import Rule
from tests.judging.cases import ALL, Written

MARK = "doc-bcdfghjkmn"
ENOUGH = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a judge said of one written answer."""

    rule: str
    name: str
    wanted: bool
    said: bool | None
    """None: nothing that could be read."""
    reason: str

    @property
    def agrees(self) -> bool:
        """It said what the answer is."""
        return self.said is self.wanted


def main() -> int:
    """Judge and print; 1 when the judge agrees too seldom."""
    options = _options()
    url = options.base_url or EMBEDDED
    choice = ModelChoice(model=options.model, base_url=url, window=options.window)
    key = os.environ.get(options.key_env or "", "")
    keys = {host_and_port(url): key} if key and url != EMBEDDED else {}
    with open_model(choice, home_folder(), keys=keys) as ask:
        found = list(_all(ask, options.window, options.rule or [rule.value for rule in Rule]))
    _tell(found)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1), "utf-8")
    return 0 if sum(one.agrees for one in found) >= ENOUGH * len(found) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How often a judge agrees with what written answers are.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--key-env", help="environment variable that holds the key")
    parser.add_argument("--window", type=int, default=8192)
    parser.add_argument("--rule", action="append", choices=[rule.value for rule in Rule])
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _all(ask: Ask, window: int, rules: list[str]) -> Iterator[Found]:
    for question, gold, written in ALL:
        if gold.rule.value in rules:
            for one in written:
                yield _one(Case(question=question, answer=one.text, gold=gold), one, ask, window)


def _one(case: Case, one: Written, ask: Ask, window: int) -> Found:
    said, reason = None, "nothing that could be read"
    try:
        verdict = converse(judge(case, mark=MARK, window=window), ask)
        said, reason = verdict.correct, verdict.reason
    except NoUsableReplyError as error:
        reason = str(error)
    return Found(rule=case.gold.rule.value, name=one.name, wanted=one.right, said=said, reason=reason)


def _tell(found: list[Found]) -> None:
    for one in found:
        if not one.agrees:
            print(f"{one.rule} · {one.name}: should be {one.wanted}, said {one.said}. {one.reason}")
    for rule in dict.fromkeys(one.rule for one in found):
        own = [one for one in found if one.rule == rule]
        print(f"{rule}: agrees with {sum(one.agrees for one in own)} of {len(own)}")


if __name__ == "__main__":
    raise SystemExit(main())
