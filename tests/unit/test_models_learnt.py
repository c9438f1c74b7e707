"""What one run learns about an endpoint, the next one knows; and nothing of it is believed for ever."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from r3con_core.errors import RefusedError
from r3con_core.models import (
    JsonMode,
    Learnt,
    connect,
    endpoint_for,
    forget_learnt,
    keep_learnt,
    load_learnt,
    probe_connection,
)
from r3con_core.models.learnt import FRESH_DAYS
from r3con_core.models.wire import Dialect
from tests.asking import PROMPT, SHAPED, opened, says
from tests.scripted_server import Body, Fault, ScriptedServer

HERE, THERE = endpoint_for("reader-9b", "https://models.example/v1"), endpoint_for("other", "https://models.example/v1")
PICKY = Learnt(
    dialect=Dialect(
        mode=JsonMode.OBJECT, limit_field="max_completion_tokens", limit_cap=900, temperature=False, room=4
    ),
    window=8192,
)


def test_what_was_learnt_of_each_model_is_given_back(tmp_path: Path) -> None:
    home = tmp_path / "not made yet"
    assert load_learnt(home, HERE) == Learnt()
    keep_learnt(home, HERE, PICKY)
    keep_learnt(home, THERE, Learnt(window=4096))
    assert load_learnt(home, HERE) == PICKY
    assert load_learnt(home, THERE) == Learnt(window=4096)
    assert [path.name for path in home.iterdir()] == ["endpoints.json"]


def test_the_day_it_was_learnt_is_told_and_is_that_of_the_last_time(tmp_path: Path) -> None:
    assert load_learnt(tmp_path, HERE).on == ""
    for day in (27, 28):
        keep_learnt(tmp_path, HERE, PICKY, today=date(2026, 11, day))
    assert load_learnt(tmp_path, HERE, today=date(2026, 11, 30)).on == "2026-11-28"


def test_what_is_forgotten_leaves_nothing_behind_and_takes_nothing_else_along(tmp_path: Path) -> None:
    forget_learnt(tmp_path / "not made yet", HERE)
    assert not (tmp_path / "not made yet").exists()
    keep_learnt(tmp_path, HERE, PICKY)
    keep_learnt(tmp_path, THERE, PICKY)
    forget_learnt(tmp_path, HERE)
    assert load_learnt(tmp_path, HERE) == Learnt()
    assert list(json.loads((tmp_path / "endpoints.json").read_text())) == [f"{THERE.base_url} {THERE.model}"]


def test_after_a_fortnight_it_is_learnt_again(tmp_path: Path) -> None:
    kept = date(2026, 11, 30)
    keep_learnt(tmp_path, HERE, PICKY, today=kept)
    assert load_learnt(tmp_path, HERE, today=kept + timedelta(days=FRESH_DAYS)) == PICKY
    assert load_learnt(tmp_path, HERE, today=kept + timedelta(days=FRESH_DAYS + 1)) == Learnt()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"https://models.example/v1 reader-9b": 5}', "\x00"])
def test_a_damaged_file_means_that_nothing_is_known(tmp_path: Path, damage: str) -> None:
    (tmp_path / "endpoints.json").write_text(damage)
    assert load_learnt(tmp_path, HERE) == Learnt()
    keep_learnt(tmp_path, HERE, PICKY)
    assert load_learnt(tmp_path, HERE) == PICKY


@pytest.mark.parametrize(
    "change", [{"window": "wide"}, {"dialect": {"mode": "telepathy"}}, {"on": "yesterday"}, {"on": None}]
)
def test_an_entry_that_makes_no_sense_is_not_believed(tmp_path: Path, change: dict[str, Any]) -> None:
    keep_learnt(tmp_path, HERE, PICKY)
    keep_learnt(tmp_path, THERE, PICKY)
    file = tmp_path / "endpoints.json"
    entries = json.loads(file.read_text())
    entries[f"{HERE.base_url} {HERE.model}"] |= change
    file.write_text(json.dumps(entries))
    assert load_learnt(tmp_path, HERE) == Learnt()
    assert load_learnt(tmp_path, THERE) == PICKY


def test_an_entry_of_a_later_version_is_understood_as_far_as_it_goes(tmp_path: Path) -> None:
    keep_learnt(tmp_path, HERE, PICKY)
    file = tmp_path / "endpoints.json"
    file.write_text(file.read_text().replace('"window": 8192', '"window": 8192, "colour": "blue"'))
    assert load_learnt(tmp_path, HERE) == PICKY


def test_a_home_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    home = tmp_path / "a file"
    home.write_text("")
    keep_learnt(home, HERE, PICKY)
    assert load_learnt(home, HERE) == Learnt()


def refuses(*names: str) -> Callable[[int, Body], Fault | None]:
    def judge(_: int, body: Body) -> Fault | None:
        named = next((name for name in names if name in body), "")
        return Fault(status=400, error={"message": f"Unsupported parameter: '{named}'"}) if named else None

    return judge


def test_the_next_run_asks_at_once_as_this_one_learnt_to(tmp_path: Path) -> None:
    with ScriptedServer(says('{"cases": 12}'), refuses("response_format", "temperature", "max_tokens")) as server:
        endpoint = endpoint_for("scripted", server.url)
        for calls in (7, 2):  # 4 refusals on the way to 3 replies, then none on the way to 2
            before = server.calls
            known = load_learnt(tmp_path, endpoint)
            model = connect(endpoint, "sk-secret", known, lambda learnt: keep_learnt(tmp_path, endpoint, learnt))
            for _ in range(3 if calls == 7 else 2):
                model(SHAPED)
            model.close()
            assert server.calls - before == calls
    assert "secret" not in (tmp_path / "endpoints.json").read_text()


def test_the_looser_of_what_is_chosen_and_what_is_known_is_asked_for() -> None:
    for chosen, known, used in [
        (JsonMode.SCHEMA, JsonMode.OBJECT, JsonMode.OBJECT),
        (JsonMode.WORDS, JsonMode.OBJECT, JsonMode.WORDS),
    ]:
        endpoint = replace(HERE, mode=chosen)
        model = connect(endpoint, "", Learnt(dialect=Dialect(mode=known)))
        assert model.mode is used
        model.close()


def test_a_test_of_the_connection_starts_afresh_and_its_findings_are_kept(tmp_path: Path) -> None:
    def obedient(_: object, response_format: dict[str, Any] | None) -> str:
        return json.dumps({"city": "London", "year": 1931}) if response_format else "ready"

    with ScriptedServer(obedient) as server:
        endpoint = endpoint_for("scripted", server.url)
        keep_learnt(tmp_path, endpoint, PICKY)
        probe = probe_connection(endpoint, "", home=tmp_path)
    assert probe.learnt == Learnt(window=16_384) == load_learnt(tmp_path, endpoint)


def test_a_schema_that_is_accepted_and_ignored_is_kept_as_no_schema(tmp_path: Path) -> None:
    rome = json.dumps({"city": "Rome", "year": 1931})
    with ScriptedServer(says(rome)) as server:
        endpoint = endpoint_for("scripted", server.url)
        probe_connection(endpoint, "", home=tmp_path)
    assert load_learnt(tmp_path, endpoint).dialect.mode is JsonMode.WORDS


def test_a_test_that_fails_takes_nothing_away(tmp_path: Path) -> None:
    keep_learnt(tmp_path, HERE, PICKY)
    assert not probe_connection(HERE, "a key with blanks", home=tmp_path).works
    assert load_learnt(tmp_path, HERE) == PICKY


@pytest.mark.parametrize(
    "fault",
    [
        Fault(error={"message": "response_format is not supported", "type": "invalid_request_error"}),
        Fault(error="json_schema: not available for this model"),
        Fault(status=500, error={"message": "Failed to parse grammar"}),
        Fault(status=422, error={"message": "Value error: guided decoding schema"}),
        Fault(status=501, error={"message": "structured output not implemented"}),
    ],
    ids=["200", "200 bare", "500", "422", "501"],
)
@pytest.mark.parametrize("local", [True, False], ids=["streamed", "whole"])
def test_a_shape_refused_in_any_way_is_asked_for_more_loosely(fault: Fault, local: bool) -> None:
    def judge(_: int, body: Body) -> Fault | None:
        return fault if "response_format" in body else None

    with (
        ScriptedServer(says('{"cases": 12}'), judge) as server,
        opened(server, local=local, sleep=lambda _: pytest.fail("waited")) as (model, _),
    ):
        assert model(SHAPED).text == '{"cases": 12}'
        assert model.mode is JsonMode.WORDS
    assert server.calls == 3


@pytest.mark.parametrize(
    ("said", "cap"),
    [
        ("max_tokens is too large: 100. This model supports at most 64 completion tokens.", 64),
        ("max_tokens: 100 > 64, which is the maximum allowed number of output tokens for claude-9", 64),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 64]", 64),
        ("<400> InvalidParameter: Range of max_tokens should be [1, 64]", 64),
        ("`max_tokens` must be less than or equal to `64`, the maximum value for `max_tokens` is less than", 64),
    ],
)
def test_the_longest_reply_a_server_allows_is_learnt(said: str, cap: int) -> None:
    def judge(_: int, body: Body) -> Fault | None:
        return Fault(status=400, error={"message": said}) if body["max_tokens"] > cap else None

    with ScriptedServer(says("12"), judge) as server, opened(server) as (model, _):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
    assert [body["max_tokens"] for body in server.requests] == [100, cap, cap]


def test_room_grows_until_the_notes_leave_some_for_the_reply() -> None:
    def thinks(_: int, body: Body) -> Fault | None:
        return Fault(text="", notes={"reasoning_content": "hm"}, finish="length") if body["max_tokens"] < 1600 else None

    with ScriptedServer(says("12"), thinks) as server, opened(server) as (model, _):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
    assert [body["max_tokens"] for body in server.requests] == [100, 400, 1600, 1600]


@pytest.mark.parametrize("finish", ["content_filter", "content_filter: SAFETY", "SAFETY", "refusal"])
def test_a_refusal_by_any_name_is_one(finish: str) -> None:
    with (
        ScriptedServer(says(""), lambda *_: Fault(text="I", finish=finish)) as server,
        opened(server) as (model, _),
        pytest.raises(RefusedError),
    ):
        model(PROMPT)
    assert server.calls == 1


def test_a_filter_that_answers_with_status_200_is_a_refusal_too() -> None:
    error = {"message": "The response was filtered", "code": "content_filter"}
    with (
        ScriptedServer(says(""), lambda *_: Fault(error=error)) as server,
        opened(server, local=False) as (model, _),
        pytest.raises(RefusedError),
    ):
        model(PROMPT)
    assert server.calls == 1
