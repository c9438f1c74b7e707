"""Fuzzes what reads others' bytes (tests/fuzzing.py), for as long as it is told: `python benchmarks/fuzz.py --minutes 60`.

Coverage-guided where `atheris` is installed (`pip install atheris`, Linux), else changed seeds at random. Inputs that
the product fails on are kept in the folder `--found`; exit status 1 when there are any.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fuzzing import TARGETS, Target, changed

SLOWEST = 20
"""Seconds after which an input counts as a hang."""
LONGEST = 20_000
"""Bytes of an input."""


def main() -> int:
    """Fuzz the named targets one after the other, or one as a process of its own under atheris."""
    options = _options()
    chosen = [target for target in TARGETS if target.name in (options.target or [target.name])]
    options.found.mkdir(parents=True, exist_ok=True)
    for target in chosen:
        seconds = options.minutes * 60 / len(chosen)
        if options.guided:
            _guided(target, seconds, options.found)
        elif find_spec("atheris") and not options.at_random:
            _apart(target, seconds, options.found)
        else:
            _at_random(target, seconds, options.found)
    found = sorted(options.found.iterdir())
    print(f"{len(found)} inputs that it failed on, in {options.found}")
    return 1 if found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="*", help=", ".join(target.name for target in TARGETS))
    parser.add_argument("--minutes", type=float, default=10, help="for all targets together (default: 10)")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="folder for inputs it failed on")
    parser.add_argument("--at-random", action="store_true", help="without atheris, though it is installed")
    parser.add_argument("--guided", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _at_random(target: Target, seconds: float, found: Path) -> None:
    chance, seeds = random.Random(time.time_ns()), list(target.seeds())
    until, tried, slowest = time.monotonic() + seconds, 0, 0.0
    while time.monotonic() < until:
        data = changed(chance.choice(seeds), seeds, target.words, chance)
        begun = time.monotonic()
        try:
            target.attempt(data)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            _keep(target, data, found)
            traceback.print_exc()
        tried, slowest = tried + 1, max(slowest, time.monotonic() - begun)
    print(
        f"{target.name}: {tried:,} inputs at random in {seconds / 60:.0f} min, the slowest {slowest:.2f} s", flush=True
    )


def _keep(target: Target, data: bytes, found: Path) -> None:
    (found / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)


def _apart(target: Target, seconds: float, found: Path) -> None:
    """Atheris ends its process at the first failure and never returns, so it gets one of its own, again and again."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 1:
        command = [sys.executable, __file__, target.name, "--guided", "--found", str(found)]
        ended = subprocess.run(
            [*command, "--minutes", str(left / 60)], capture_output=True, text=True, errors="replace", check=False
        )
        last = [line for line in ended.stderr.splitlines() if line.startswith(("Done", "#", "==", "INFO: seed"))][-2:]
        print(f"{target.name}: {' | '.join(last)}", flush=True)
        if ended.returncode:
            print(ended.stderr[-4000:], flush=True)


def _guided(target: Target, seconds: float, found: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["r3con_core", "json_repair"]):
        _import_again()
    place = found.parent / f"{found.name}-corpus" / target.name
    place.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        (place / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    words = place.with_suffix(".dict")
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words), "utf-8")
    flags = [f"-max_total_time={max(1, int(seconds))}", f"-timeout={SLOWEST}", f"-max_len={LONGEST}", f"-dict={words}"]
    by_name = {each.name: each for each in _targets_again()}
    atheris.Setup(
        [sys.argv[0], str(place), *flags, f"-artifact_prefix={found}/{target.name}-"], by_name[target.name].attempt
    )
    atheris.Fuzz()


def _import_again() -> None:
    """What was imported before atheris could count its branches."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("r3con_core", "tests", "json_repair")]:
        del sys.modules[name]
    import tests.fuzzing  # noqa: F401 - imported to be counted


def _targets_again() -> tuple[Target, ...]:
    import tests.fuzzing

    return tests.fuzzing.TARGETS


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    raise SystemExit(main())
