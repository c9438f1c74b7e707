"""Claude Code is started on a folder of its own without web and keys, and is asked once; here a small program stands in."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from r3con_core.errors import R3ConError, StoppedError
from r3con_core.methods.claude_code import CLAUDE_CODE
from r3con_core.methods.seam import Size
from r3con_core.processes import is_alive
from r3con_core.run_method import Equipment
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from r3con_core.store.calls import list_calls
from r3con_core.store.egress import list_sent
from r3con_core.team import TEAM_VARIABLE
from r3con_core.verify.runs import verify_run
from tests.fakes import Scripted, harbour_documents, harbour_project, text_project
from tests.methods.running import carry_method, start

FAKE = """#!{python}
import json, os, stat, sys
files = sorted(os.listdir("."))
seen = dict(arguments=sys.argv[1:], files=files, mode=oct(stat.S_IMODE(os.stat(".").st_mode)), folder=os.getcwd(),
            key=os.environ.get("SOME_API_KEY"), said=sys.stdin.read(), first=open(files[0]).read())
with open({seen!r}, "a") as kept: kept.write(json.dumps(seen) + "\\n")
usage = dict(input_tokens=5, cache_read_input_tokens=7, cache_creation_input_tokens=2, output_tokens=3)
print(json.dumps(dict(type="result", is_error=False, result="Ines did it.", total_cost_usd=0.25, num_turns=4, usage=usage)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script that starts itself")
def test_it_reads_a_closed_folder_and_is_asked_once_and_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen.jsonl"
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "claude"
    program.write_text(FAKE.format(python=sys.executable, seen=str(seen)), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("SOME_API_KEY", "sk-not-for-others")
    project = harbour_project(tmp_path / "project")
    run_id = start(project, "claude-code")
    assert carry_method(project, run_id, Scripted()) is RunState.DONE
    run_rows.set_state(project, run_id, RunState.QUEUED)
    assert carry_method(project, run_id, Scripted()) is RunState.DONE
    (told,) = [json.loads(line) for line in seen.read_text("utf-8").splitlines()]
    assert (told["mode"], told["key"], told["files"][0], len(told["files"])) == ("0o700", None, "document_0001.txt", 10)
    off = told["arguments"][told["arguments"].index("--disallowedTools") + 1].split(",")
    assert {"WebSearch", "WebFetch", "AskUserQuestion", "Bash"} <= set(off)
    assert told["arguments"][told["arguments"].index("--permission-mode") + 1] == "default"
    assert run_rows.load_run(project, run_id).host == "Anthropic, by the program claude"
    assert not Path(told["folder"]).exists()
    assert load_answer(project, run_id).text == "Ines did it."  # type: ignore[union-attr]
    (call,) = list_calls(project, run_id)
    assert (call.reply.usage.prompt, call.reply.usage.cached, call.reply.usage.output) == (14, 7, 3)
    (sent,) = list_sent(project, run_id)
    assert (sent.outcome, sent.count, sent.call) == ("answered", 10, call.key)
    assert "Cost by its own account: 0.2500 USD" in load_built(project, run_id)[0].items[0].text
    assert verify_run(project, run_id).faults == ()


def test_where_the_program_is_not_installed_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "not installed" in CLAUDE_CODE.why_not(Size(documents=(1,), window=8192))


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        (
            '{"result": "Ines \\ud800 did it.", "total_cost_usd": 1%s, "num_turns": true}' % ("0" * 400),
            "Ines \ufffd did it.",
        ),
        ('{"result": "Ines.", "total_cost_usd": NaN, "usage": {"input_tokens": 1%s}}' % ("0" * 30), "Ines."),
        ('{"result": ' + "[" * 100_000, ""),
        ('[{"result": "Ines."}]', ""),
        ("", ""),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a script that starts itself")
def test_whatever_it_prints_is_an_answer_or_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, answer: str
) -> None:
    (tmp_path / "printed").write_text(printed, encoding="utf-8")
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\nexec /bin/cat '{tmp_path / 'printed'}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    project = text_project(tmp_path / "project", harbour_documents()[:1])
    run_id = start(project, "claude-code")
    if answer:
        assert carry_method(project, run_id, Scripted()) is RunState.DONE
        assert load_answer(project, run_id).text == answer  # type: ignore[union-attr]
        assert "Cost" not in load_built(project, run_id)[0].items[0].text
    else:
        with pytest.raises(R3ConError, match="gave no answer"):
            carry_method(project, run_id, Scripted())


def test_a_team_whose_operator_says_where_text_may_go_has_it_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "team.toml").write_text('url = "https://r3con.example.org"\nproxies = ["127.0.0.1"]\n', "utf-8")
    monkeypatch.setenv(TEAM_VARIABLE, str(tmp_path / "team.toml"))
    assert "not for a team" in CLAUDE_CODE.why_not(Size(documents=(1,), window=8192))
    project = harbour_project(tmp_path / "project")
    with pytest.raises(R3ConError, match="not for a team"):
        carry_method(project, start(project, "claude-code"), Scripted())


def _stopped() -> None:
    raise StoppedError


def _terminated() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.skipif(sys.platform == "win32", reason="a script that starts itself")
@pytest.mark.parametrize(("end", "raised"), [(_stopped, StoppedError), (_terminated, SystemExit)])
def test_it_is_ended_with_its_folder_when_the_run_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[[], None], raised: type[BaseException]
) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    begun = tmp_path / "begun"
    program = tmp_path / "claude"
    say = f"open({str(begun)!r}, 'w').write(f'{{os.getpid()}} {{os.getcwd()}}')"
    script = f"import os, time; {say}; time.sleep(600)"
    program.write_text(f"#!{sys.executable}\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    looks = []

    def check() -> None:
        looks.append(begun.exists() and begun.read_text("utf-8"))
        if len(looks) > 2 and looks[-1]:
            end()
        assert len(looks) < 200

    project = harbour_project(tmp_path / "project")
    run_id = start(project, "claude-code")
    try:
        with pytest.raises(raised):
            carry_method(project, run_id, Scripted(), equipment=Equipment(check=check))
    finally:
        signal.signal(signal.SIGTERM, before)
    number, folder = begun.read_text("utf-8").split()
    assert not is_alive(int(number))
    assert not Path(folder).exists()
