"""Texts without keys, and processes that are given none."""

import ast
import base64
import html
import json
import re
import subprocess
import sys
import traceback
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.widgets.errors import show_uncaught
from r3con_core.processes import GIVEN, child_environment, last_resort, take_given
from r3con_core.scrubbing import hidden, hold, is_secret_name, message_without, without

KEY = 'sk-proj-Ab+c/12"34<xyz>'
ROOT = Path(__file__).parents[2]
FORMS = {
    "as it is": KEY,
    "in capitals": KEY.upper(),
    "in a URL": quote(KEY),
    "in a query": quote_plus(KEY),
    "as JSON": json.dumps(KEY),
    "as JSON in JSON's own escapes": "".join(f"\\u{ord(letter):04X}" for letter in KEY),
    "as HTML": html.escape(KEY),
    "in hexadecimals": KEY.encode().hex(),
    "percent by percent": "".join(f"%{byte:02X}" for byte in KEY.encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_taken_out_in_every_form_that_programs_write(form: str) -> None:
    assert without(f"said {FORMS[form]}, twice {FORMS[form]}", KEY) == re.sub(
        re.escape(FORMS[form].strip('"')), "[key]", f"said {FORMS[form]}, twice {FORMS[form]}"
    )


@given(st.binary(max_size=7), st.binary(max_size=7), st.booleans())
def test_a_key_is_taken_out_of_base64_wherever_it_begins(before: bytes, after: bytes, url: bool) -> None:
    encode = base64.urlsafe_b64encode if url else base64.b64encode
    left = without(encode(before + KEY.encode() + after).decode(), KEY)
    assert left.count("[key]") == 1
    assert len(left) <= len("[key]") + 4 * (-(-(len(before) + len(after)) // 3) + 2)


def test_what_is_too_short_for_a_secret_stays_in_a_reply_and_not_in_an_error() -> None:
    assert without("ollama lists it", "ollama") == "ollama lists it"
    assert message_without("the key ollama is wrong, as ollama-cloud says", "ollama") == (
        "the key [key] is wrong, as ollama-cloud says"
    )


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (
            "Incorrect API key provided: sk-proj-********4xyz. Find yours",
            "Incorrect API key provided: [key] Find yours",
        ),
        ("key sk-p...4xyz is bad", "key [key] is bad"),
        ("the key ending in 'D4xyz' is bad", "the key ending in '[key]' is bad"),
        ("Bearer sk-proj-AbcD4x", "Bearer [key]"),
        ("bad header Bearer sk-proj-AbcD4xyz", "bad header Bearer [key]"),
        ("**Too many** requests... wait", "**Too many** requests... wait"),
        ("sk-other is another", "sk-other is another"),
    ],
)
def test_a_servers_message_tells_no_part_of_the_key(said: str, left: str) -> None:
    assert message_without(said, "sk-proj-AbcD4xyz") == left


def test_a_traceback_in_a_log_and_the_sentence_of_it_have_no_key(tmp_path: Path) -> None:
    key = "sk-of-a-traceback-1"
    hold(key)
    told: list[str] = []
    with last_resort(tmp_path / "run.log", told.append):
        try:
            int(f"Authorization: Bearer {key}")
        except ValueError as error:
            raise RuntimeError({"Authorization": f"Bearer {key}"}) from error
    log = (tmp_path / "run.log").read_text("utf-8")
    assert log.count("Bearer [key]") == 2
    assert key not in log + "".join(told)


def test_an_error_that_a_page_did_not_expect_is_logged_without_the_key() -> None:
    key = "sk-of-a-page-123"
    hold(key)
    caught: Exception = ValueError()
    try:
        int(f"Bearer {key}")
    except ValueError as error:
        caught = RuntimeError({"Authorization": f"Bearer {key}"}, 401)
        caught.__cause__ = error
    assert show_uncaught(caught) is False
    assert caught.args == ("[key]", 401)
    assert key not in "".join(traceback.format_exception(caught))


def test_a_variable_with_a_key_reaches_no_process_that_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    hold("a-key-of-a-name-unlike-keys")
    for name, value in {"R3CON_API_KEY": "a", "GITHUB_TOKEN": "b", "MY_MODEL": "a-key-of-a-name-unlike-keys"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_LOG", "debug")
    monkeypatch.setenv("LANG", "C.UTF-8")
    had = child_environment(R3CON_HOME="here")
    assert had.keys().isdisjoint({"R3CON_API_KEY", "GITHUB_TOKEN", "MY_MODEL", "OPENAI_LOG"})
    assert (had["LANG"], had["R3CON_HOME"]) == ("C.UTF-8", "here")


SECRET_NAMES = (
    *(
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "OPENAI_API_KEY",
        "HF_TOKEN",
        "GH_PAT",
        "DB_PASSWORD",
        "PGPASSWORD",
    ),
    *(
        "R3CON_API_KEY",
        "R3CON_API_KEY_HOST",
        "MY_APIKEY",
        "STRIPE_KEY",
        "CLIENT_SECRET",
        "HTTP_AUTH",
        "azure_openai_api_key",
    ),
)
ORDINARY_NAMES = (
    *("PATH", "HOME", "LANG", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "PYTHONPATH", "XAUTHORITY"),
    *("DBUS_SESSION_BUS_ADDRESS", "PIP_INDEX_URL", "HTTPS_PROXY", "R3CON_HOME", "MONKEY", "KEYBOARD", "SPAT"),
)


def test_variables_with_secrets_are_known_by_their_names() -> None:
    assert [name for name in (*SECRET_NAMES, *ORDINARY_NAMES) if is_secret_name(name)] == list(SECRET_NAMES)


def test_every_process_is_started_with_an_environment_made_for_it() -> None:
    bare = []
    for file in sorted((ROOT / "r3con_core").rglob("*.py")):
        text = file.read_text("utf-8")
        calls = ast.walk(ast.parse(text)) if "subprocess" in text else ()
        started = [call for call in calls if isinstance(call, ast.Call) and _starts_process(call.func)]
        given = [[ast.unparse(each.value) for each in call.keywords if each.arg == "env"] for call in started]
        bare += [file.name for env in given if not env or "os.environ" in env[0]]
    assert bare == []


def _starts_process(called: ast.expr) -> bool:
    module = called.value if isinstance(called, ast.Attribute) else None
    return isinstance(module, ast.Name) and module.id == "subprocess"


SEALED = """
import ctypes, resource, sys
from r3con_core.cli.commands import main
sys.argv = ["r3con", "--version"]
main()
print(resource.getrlimit(resource.RLIMIT_CORE)[0], ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has both")
def test_the_command_line_is_closed_to_other_processes_from_its_start() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SEALED], capture_output=True, text=True, cwd=ROOT, check=True, env=child_environment()
    )
    assert ended.stdout.splitlines()[-1] == "0 0"


GIVEN_KEYS = """
import json, resource, sys
from r3con_core.processes import take_given
print(json.dumps([take_given(sys.argv[1:]), resource.getrlimit(resource.RLIMIT_CORE)[0]]))
if sys.platform == "linux":
    import ctypes
    print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
raise SystemError("Bearer sk-given-by-a-pipe")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither")
def test_a_process_with_keys_leaves_no_dump_is_closed_to_others_and_ends_without_telling_them() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", GIVEN_KEYS, GIVEN],
        input=json.dumps({"models.example": "sk-given-by-a-pipe"}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    first, *closed = ended.stdout.splitlines()
    assert json.loads(first) == [{"models.example": "sk-given-by-a-pipe"}, 0]
    assert closed == (["0"] if sys.platform == "linux" else [])
    assert ended.stderr.splitlines()[-1] == "SystemError: Bearer [key]"
    assert "Traceback" in ended.stderr


def test_a_process_that_is_given_nothing_waits_for_nothing() -> None:
    assert take_given(["FOLDER", "RUN"]) is None
    assert hidden("no key at all") == "no key at all"
