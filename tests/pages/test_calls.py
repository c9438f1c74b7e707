"""The Calls page: every prompt and reply of a run, listed, filtered, searched and opened."""

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.calls.links import calls_place
from pages.widgets.calls.view import Sharing, readable, turns_of
from r3con_core.exchange import About, Finish, Message, Prompt, Reply, Stage
from r3con_core.overlay import data_of
from r3con_core.sendings import TEST, Ended, Sending, begin_at_home
from r3con_core.store.call_search import CallLine, call_lines, load_call, shared_by
from r3con_core.store.calls import Call, keep_call
from r3con_core.store.egress import begin_sending
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from tests.fakes import finished_harbour, start_harbour_run
from tests.pages.opened import click, open_page


def opened(run_id: str, **params: str | None) -> AppTest:
    at = open_page("calls", project="harbour", run=run_id)
    for name, value in params.items():
        if value:
            at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def told(at: AppTest) -> str:
    return "\n".join(element.value for element in [*at.main.markdown, *at.main.caption, *at.main.info])


@pytest.fixture
def finished(home: Path) -> tuple[Project, str, tuple[CallLine, ...]]:
    project, run_id = finished_harbour(home / "projects")
    return project, run_id, call_lines(project, run_id)


def test_a_run_that_asked_nothing_yet_says_so(project: Project) -> None:
    assert "No call has been answered yet" in opened(start_harbour_run(project)).info[0].value


def test_every_call_is_listed_with_what_it_was_made_for(finished: tuple[Project, str, tuple[CallLine, ...]]) -> None:
    _, run_id, lines = finished
    at = opened(run_id)
    table = at.dataframe[0].value
    assert len(table) == len(lines) == 35
    assert list(table["Made for"].unique()) == [
        "what to look for",
        "reading a document",
        "schema",
        "parsing a document",
        "reasoning",
    ]
    first = table.iloc[1]
    assert (first["About"].split(" · ")[0], first["Sent"], first["Known"]) == ("1", 100, 40)
    assert "35 calls · 3,500 tokens sent" in told(at)


def test_words_are_looked_for_in_prompts_and_replies(finished: tuple[Project, str, tuple[CallLine, ...]]) -> None:
    _, run_id, _ = finished
    at = opened(run_id, find="Tolman")
    everywhere = len(at.dataframe[0].value)
    assert at.text_input[0].value == "Tolman"
    at.segmented_control[0].set_value("replies").run()
    assert 0 < len(at.dataframe[0].value) < everywhere < 35
    at.text_input[0].set_value("zeppelin").run()
    assert "No call has all of that" in at.info[0].value
    assert at.query_params["find"] == "zeppelin"
    click(at, "Show all")
    assert len(at.dataframe[0].value) == 35
    assert "find" not in at.query_params


def test_filters_keep_some_calls_and_the_address_names_them(
    finished: tuple[Project, str, tuple[CallLine, ...]],
) -> None:
    _, run_id, lines = finished
    parsing = sum(line.stage is Stage.PARSING for line in lines)
    at = opened(run_id)
    (stage,) = [box for box in at.selectbox if box.label == "Made for"]
    stage.set_value(Stage.PARSING).run()
    assert len(at.dataframe[0].value) == parsing
    assert at.query_params["stage"] == "parsing"
    assert f"{parsing} of 35 calls" in told(at)


def test_a_link_to_the_calls_of_a_snippet_opens_the_only_one(
    finished: tuple[Project, str, tuple[CallLine, ...]],
) -> None:
    project, run_id, lines = finished
    about = lines[3].about
    at = opened(run_id, **calls_place(Stage.RELEVANCE, About(document_id=about.document_id, round=about.round)))
    assert not at.dataframe
    assert "**Reading a document**" in told(at)
    assert f"round {about.round}" in told(at)
    assert "100 tokens sent, 40 of them known to the server" in told(at)
    click(at, "All calls")
    assert len(at.dataframe[0].value) == 35
    assert project.name == "Harbour"


def test_snippets_records_and_schemas_lead_to_the_calls_that_made_them(
    finished: tuple[Project, str, tuple[CallLine, ...]],
) -> None:
    project, run_id, lines = finished
    document_id = lines[3].about.document_id
    data = data_of(project, run_id)
    assert data is not None
    record = data.records[0]
    about = {"doc": document_id, "record": record.id}
    links = {
        (page, link.proto.label): parse_qs(link.proto.query_string)
        for page in ("relevance", "data", "schema")
        for link in open_page(page, project="harbour", run=run_id, **about).main.get("page_link")
    }
    second = links["relevance", "See the prompt and reply of round 2"]
    assert (second["stage"], second["doc"], second["round"]) == (["relevance"], [document_id], ["2"])
    parsed = links["data", "See the prompt and reply"]
    assert (parsed["stage"], parsed["doc"]) == (["parsing"], [record.document_id])
    assert links["schema", "See the prompt and reply"]["stage"] == ["schema"]


def test_an_opened_call_leads_to_those_beside_it(finished: tuple[Project, str, tuple[CallLine, ...]]) -> None:
    _, run_id, lines = finished
    at = opened(run_id, call=lines[0].key)
    assert "Call 1 of 35 listed" in told(at)
    assert [b.disabled for b in at.button if b.label == "Earlier"] == [True]
    click(at, "Next")
    assert at.query_params["call"] == lines[1].key
    assert "Call 2 of 35 listed" in told(at)
    click(at, "All calls")
    assert "call" not in at.query_params
    assert len(at.dataframe[0].value) == 35


def test_an_unknown_call_is_said_to_be(finished: tuple[Project, str, tuple[CallLine, ...]]) -> None:
    at = opened(finished[1], call="call-0")
    assert "names a call that this run does not have" in at.warning[0].value
    assert len(at.dataframe[0].value) == 35


def test_what_calls_share_is_folded_and_what_is_a_calls_own_stands_open(
    finished: tuple[Project, str, tuple[CallLine, ...]],
) -> None:
    project, run_id, lines = finished
    reading = [line for line in lines if line.stage is Stage.RELEVANCE and line.about.round == 2]
    line = reading[2]
    call = load_call(project, run_id, line.key)
    assert call is not None
    system, *asked, reply = turns_of(call, Sharing(counts=shared_by(project, run_id, line.key), own=3), "")
    assert (system["title"], [part["open"] for part in system["parts"]]) == ("Instructions", [False])
    assert system["parts"][0]["title"].startswith("Shared by 20 to 34 calls of this run · ")
    parts = [part for turn in asked for part in turn["parts"]]
    assert {part["open"] for part in parts} == {True, False}
    assert any(part["open"] and "A launch landed 25 cases" in part["text"] for part in parts)
    whole = "\n\n".join(part["text"] for part in parts)
    assert whole == "\n\n".join(message.content for message in call.prompt.messages[1:])
    assert json.loads(reply["parts"][0]["text"]) == json.loads(call.reply.text)
    assert reply["parts"][1]["text"] == call.reply.text


def call_of(asked: str, **reply: object) -> Call:
    prompt = Prompt(stage=Stage.SCHEMA, messages=(Message(role="user", pieces=(asked,)),), shape={"type": "object"})
    return Call(key="call-1", prompt=prompt, reply=Reply(model="m", **reply), host="h", answered="2026-11-30T10:00:00")  # type: ignore[arg-type]


def test_words_are_marked_where_they_stand_counted_as_browsers_count() -> None:
    asked, reply = turns_of(call_of("😀 Lime quay", text="No LIME", thinking="lime?"), Sharing(), "lime")
    assert asked["parts"][0]["marks"] == [[3, 7]]
    assert [part["marks"] for part in reply["parts"]] == [[[3, 7]], [[0, 4]], []]


def test_a_reply_in_json_is_laid_out_and_any_other_is_left() -> None:
    assert readable('{"a":[1,"é"]}') == '{\n  "a": [\n    1,\n    "é"\n  ]\n}'
    assert readable("just words") == ""
    assert readable("12") == ""
    assert readable("[" * 100_000) == ""
    (_, reply) = turns_of(call_of("x", text='{"a"', finish=Finish.CUT_OFF), Sharing(), "")
    assert (reply["parts"][0]["text"], reply["note"]) == ('{"a"', "cut off at the limit of its length")


def test_hostile_words_stay_words(finished: tuple[Project, str, tuple[CallLine, ...]]) -> None:
    project, run_id, _ = finished
    evil = "<script>alert(1)</script> ![x](http://a.example/p.png) \ud800"
    prompt = Prompt(stage=Stage.RELEVANCE, messages=(Message(role="user", pieces=(evil,)),))
    reply = Reply(text=evil[:-1], model="![m](http://a.example/m.png)")
    keep_call(
        project, run_id, Call(key="call-evil", prompt=prompt, reply=reply, host="<i>h</i>", answered="2026-11-30")
    )
    at = opened(run_id, call="call-evil")
    assert "![m]" not in told(at)
    assert "<i>" not in told(at)


def test_what_was_sent_is_listed_by_host_and_request_and_can_be_taken_along(home: Path, project: Project) -> None:
    run_id = start_harbour_run(project)
    read = load_run(project, run_id).document_ids[0]
    told = {"run_id": run_id, "bytes_sent": 1_500, "documents": (read,)}
    for purpose, host, of, outcome in (
        ("focus", "api.openai.com", "", "answered"),
        ("relevance", "api.openai.com", read, "HTTP 429"),
        ("relevance", "this computer", read, ""),
    ):
        sending = Sending(sent="2026-11-30T19:00:00.000+00:00", purpose=purpose, host=host, document_id=of, **told)  # type: ignore[arg-type]
        end = begin_sending(project, sending)
        if outcome:
            end(Ended(outcome=outcome, bytes_received=200))
    begin_at_home(home, TEST, "api.example.org", 90)(Ended(outcome="answered"))
    at = opened(run_id)
    at.radio(key="calls-view").set_value("What was sent").run()
    assert not at.exception
    totals, requests, outside = (table.value for table in at.dataframe)
    assert totals[["Host", "Requests", "Answered", "Documents"]].values.tolist() == [
        ["api.openai.com", 2, 1, 1],
        ["this computer", 1, 0, 1],
    ]
    assert requests["Ended"].tolist() == ["answered", "HTTP 429", "end not seen"]
    assert requests["Text of"].tolist()[0] == ""
    assert requests["Text of"].tolist()[1].startswith("1 · ")
    assert outside["Host"].tolist() == ["api.example.org"]
    at.selectbox(key="sent-Ended").set_value("HTTP 429").run()
    assert at.dataframe[1].value["For"].tolist() == ["reading a document"]
    assert "1 request · " in "\n".join(each.value for each in at.markdown)
