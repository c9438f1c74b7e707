"""Which commands there are, and what each takes. The work is in one module per command, imported when it is called."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TypeAlias

from r3con_core import __version__, egress
from r3con_core.cli.screen import tell
from r3con_core.errors import R3ConError
from r3con_core.processes import close_to_others
from r3con_core.scrubbing import guard_tracebacks

OK, FAILED, USAGE, PAUSED, OPEN, INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Exit codes."""
FORMATS = (
    *("run", "html", "docx", "report", "xlsx", "csv", "json", "parquet", "graphml", "code", "notebook", "schema"),
    "sent",
)
PARTS = ("state", "snippets", "schema", "records", "built", "answer", "sent")
_DESCRIPTION = "Ask a question of a folder of documents and get an answer whose every statement leads to a quote."


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry one command line; its exit code.

    0 done, 1 failed, 2 used wrongly, 3 paused at a limit, 4 not all could be checked, 130 interrupted.
    """
    guard_tracebacks()
    if arguments is None:
        egress.install()  # this is the whole process, not a caller from Python
        close_to_others()  # it may be given keys by its environment, and starts readers of strangers' files
    try:
        options = make_parser().parse_args(arguments)
        module, function = options.action.split(":")
        code: int = getattr(import_module(f"r3con_core.cli.{module}"), function)(options)
        sys.stdout.flush()
    except SystemExit as ended:  # argparse has said what it had to say
        return ended.code if isinstance(ended.code, int) else USAGE
    except R3ConError as error:
        tell(f"r3con: {error}")
        return FAILED
    except KeyboardInterrupt:
        tell("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output has seen enough
        return FAILED
    return code


def make_parser() -> argparse.ArgumentParser:
    """The whole command line as argparse knows it."""
    parser = argparse.ArgumentParser(prog="r3con", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"R3Con Analyst {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_ask(commands)
    _add_resume(commands)
    _add_corpus_commands(commands)
    _add_app(commands)
    _add_users(commands)
    _add_model(commands)
    _add_sandbox(commands)
    _add_reading_commands(commands)
    _add_exchange_commands(commands)
    _add_keeping_commands(commands)
    _add_query(commands)
    _add_compare(commands)
    _add_evaluate(commands)
    _command(commands, "doctor", "diagnosis:doctor", "Check whether this computer has what is needed.")
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name


def _command(commands: Commands, name: str, action: str, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(action=action)
    return parser


def _add_ask(commands: Commands) -> None:
    ask = _command(commands, "ask", "asking:ask", "Read documents and answer a question about them.")
    ask.add_argument("question", metavar="QUESTION", help="what you want to know")
    ask.add_argument("paths", metavar="PATH", nargs="*", help="files and folders to read")
    _add_endpoint_options(ask)
    ask.add_argument("--window", type=int, metavar="TOKENS", help="the model's context window")
    ask.add_argument("--workers", type=int, metavar="CALLS", help="calls at once")
    ask.add_argument("--rounds", type=int, metavar="N", help="rounds of reading, 1 to 5 (default: 2)")
    ask.add_argument("--mode", choices=("coding", "direct"), default="coding", help="how to reason (default: coding)")
    ask.add_argument("--schema", metavar="FILE", help="use this schema, as saved by: r3con export --format schema")
    text = "order of a prompt's parts; shared lets servers reuse what they have read (default: shared)"
    ask.add_argument("--layout", choices=("shared", "paper"), default="shared", help=text)
    _add_limits(ask)
    ask.add_argument("--review", action="store_true", help="stop at the proposed schema; r3con resume accepts it")
    text = "stop after every round of reading but the last; r3con resume goes on"
    ask.add_argument("--between-rounds", action="store_true", help=text)
    _add_never_send(ask)
    place = ask.add_mutually_exclusive_group()
    place.add_argument("--out", metavar="DIR", help="keep the project, the report and the records in this folder")
    place.add_argument("--project", metavar="NAME", help="add to this project, or make it")
    ask.add_argument("--yes", action="store_true", help="start without being asked")


def _add_never_send(parser: argparse.ArgumentParser) -> None:
    text = "a folder or file, by name or path, that no model is ever sent; * stands for anything; may be said again"
    parser.add_argument("--never-send", metavar="PATTERN", action="append", default=[], help=text)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    money = "pause when so much money is spent, in the currency of the model's price"
    parser.add_argument("--max-cost", type=float, metavar="AMOUNT", help=money)
    tokens = "pause when so many tokens are used, sent and written together"
    parser.add_argument("--max-tokens", type=int, metavar="TOKENS", help=tokens)


def _add_resume(commands: Commands) -> None:
    text = "Go on with a run that paused, ended early or waits for you, or accept its schema. No finished call is repeated."
    resume = _command(commands, "resume", "asking:resume", text)
    _add_run(resume)
    _add_limits(resume)
    resume.add_argument("--key-env", metavar="VARIABLE", help="environment variable that holds the key")
    resume.add_argument("--yes", action="store_true", help="start without being asked")


def _add_corpus_commands(commands: Commands) -> None:
    text = "Read files and folders into a project. Said again after a Ctrl-C, it goes on where it was."
    add = _command(commands, "add", "adding:add", text)
    add.add_argument("paths", metavar="PATH", nargs="+", help="files and folders to read")
    _add_project(add)
    _add_never_send(add)
    add.add_argument("--password-env", metavar="VARIABLE", help="environment variable with a password for locked files")
    add.add_argument("--no-ocr", action="store_true", help="do not recognise text in pictures of pages")
    add.add_argument(
        "--ocr-languages", metavar="CODES", help="languages of scanned pages, such as eng,deu (default: eng)"
    )
    ledger = _command(commands, "ledger", "adding:ledger", "Say what became of every file that was added.")
    _add_project(ledger)
    ledger.add_argument("--outcome", metavar="WORDS", help="only these lines, such as: not readable")
    ledger.add_argument("--out", metavar="FILE", help="write all its columns to this CSV file")
    text = "Never send folders or files to a model, now and later; without any, list them and what is held back."
    hold = _command(commands, "hold", "holding:hold", text)
    hold.add_argument("patterns", metavar="PATTERN", nargs="*", help="name or path; * stands for anything")
    _add_project(hold)
    text = 'Find words in the documents of a project; "a phrase", one OR another, and -word may be written.'
    search = _command(commands, "search", "adding:find", text)
    search.add_argument("words", metavar="WORDS", nargs="+", help="what to find; documents with all of them are listed")
    _add_project(search)
    search.add_argument("--limit", type=int, metavar="N", default=20, help="how many documents to list (default: 20)")


def _add_project(parser: argparse.ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--project", metavar="NAME", help="the project")
    place.add_argument("--in", dest="folder", metavar="DIR", help="the project's folder")


def _add_app(commands: Commands) -> None:
    app = _command(
        commands, "app", "serving:app", "Start the app in the browser, for this computer only or for a team."
    )
    app.add_argument("--port", type=int, metavar="PORT", help="its port (default: the first free one from 8501)")
    app.add_argument("--pull", action="store_true", help="first get the default model, once, if it is not here yet")
    text = "open it to others, who must sign in; this TOML file says how it is reached and by whom"
    app.add_argument("--team", metavar="FILE", help=text)
    app.add_argument("--no-browser", action="store_true", help="open no browser, only say the address")


def _add_users(commands: Commands) -> None:
    text = "Say who may enter an app that is opened to a team."
    user = commands.add_parser("user", help=text, description=text)
    actions = user.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _command(actions, "list", "users:list_users", "List who may enter.")
    for name, action, about in (
        ("add", "users:add", "Let someone in, with a password that is asked for."),
        ("password", "users:password", "Give someone another password, which signs them out everywhere."),
        ("remove", "users:remove", "Let someone in no more, from this moment. Their projects stay."),
    ):
        one = _command(actions, name, action, about)
        one.add_argument("name", metavar="NAME", help="letters a-z, digits, dots, hyphens and underscores")
        if name != "remove":
            one.add_argument("--password-env", metavar="VARIABLE", help="environment variable that holds the password")


def _add_model(commands: Commands) -> None:
    text = "Get, list and test models."
    model = commands.add_parser("model", help=text, description=text)
    actions = model.add_subparsers(title="commands", metavar="COMMAND", required=True)
    pull = _command(actions, "pull", "models:pull_model", "Get a model for this computer, once, and check it.")
    pull.add_argument("model", metavar="NAME", nargs="?", help="its name, or hf:owner/repository/file.gguf")
    _command(actions, "list", "models:list_models", "List the models known by name, and which are here.")
    text = "List requests that belong to no project: tests of a connection, lists of models, models fetched."
    _command(actions, "sent", "models:list_sent", text)
    test = _command(actions, "test", "models:test_model", "Ask a model a little, and say what works there.")
    _add_endpoint_options(test)


def _add_sandbox(commands: Commands) -> None:
    text = "The walls around code that a model writes: which stand here, and what would make better ones."
    sandbox = commands.add_parser("sandbox", help=text, description=text)
    actions = sandbox.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _command(actions, "show", "sandbox:show", "Start the walls and say which stand.")
    text = "Get Python for WebAssembly (23 MB), once, and check it: walls for systems that have none of their own."
    _command(actions, "pull", "sandbox:pull", text)


def _add_reading_commands(commands: Commands) -> None:
    runs = _command(commands, "runs", "showing:runs", "List all runs, newest first.")
    _add_folder(runs)
    show = _command(commands, "show", "showing:show", "Show a run: its state, snippets, schema, records and answer.")
    _add_run(show)
    show.add_argument("--only", choices=PARTS, help="one part of it")
    changes = _command(
        commands, "changes", "showing:changes", "List what people changed of a run: who, when, what, why."
    )
    _add_run(changes)
    text = "Check a run, or an evidence bundle from anywhere, without a model: hashes, quotes, replies, code, reports."
    verify = _command(commands, "verify", "verifying:verify", text)
    _add_run(verify, "the run, or how it ends (default: newest), or the file of a bundle")
    text = "with a bundle: compare the original files in this folder too"
    verify.add_argument("--sources", metavar="DIR", help=text)


def _add_exchange_commands(commands: Commands) -> None:
    export = _command(commands, "export", "exchanging:export", "Save a run, or a part of it, as a file.")
    _add_run(export)
    export.add_argument("--out", metavar="FILE", help="the file to write (default: text to standard output)")
    export.add_argument("--format", choices=FORMATS, default="run", help="what to save (default: run, the whole of it)")
    opened = _command(commands, "open", "exchanging:open_run", "Open a run file made elsewhere, as a new project.")
    opened.add_argument("file", metavar="FILE", help="a file made by: r3con export")
    opened.add_argument("--project", metavar="NAME", help="what to call it")


def _add_query(commands: Commands) -> None:
    text = "Count, add up and compare the records of a run, without a model and without code."
    query = commands.add_parser("query", help=text, description=text)
    actions = query.add_subparsers(title="commands", metavar="COMMAND", required=True)
    run = _command(actions, "run", "querying:run", "Carry out a query over the records of a run.")
    run.add_argument("query", metavar="QUERY", help="the name of a kept query, or the file of one")
    _add_run(run)
    run.add_argument("--format", choices=("text", "csv", "json"), default="text", help="how to say it (default: text)")
    run.add_argument("--out", metavar="FILE", help="the file to write, for csv and json")
    save = _command(actions, "save", "querying:save", "Keep a query from a JSON file under a name.")
    save.add_argument("name", metavar="NAME", help="what to call it")
    save.add_argument("file", metavar="FILE", help="a query as JSON, as saved on the page Data")
    _add_project(save)
    listed = _command(actions, "list", "querying:list_saved", "List the queries that are kept in a project.")
    _add_project(listed)
    columns = _command(actions, "columns", "querying:columns", "Say what a query over a run can name.")
    _add_run(columns)


def _add_compare(commands: Commands) -> None:
    text = "Answer a question by several methods, each by itself, and say what each costs and gives."
    compare = _command(commands, "compare", "comparing:compare", text)
    compare.add_argument("question", metavar="QUESTION", help="what you want to know")
    compare.add_argument("paths", metavar="PATH", nargs="*", help="files and folders to read")
    text = 'methods by their ids, with commas between, or "all" (default: r3con,whole)'
    compare.add_argument("--methods", metavar="IDS", default="r3con,whole", help=text)
    text = "a setting of a method other than the one scaled to the documents: METHOD.SETTING=NUMBER; may be said again"
    compare.add_argument("--options", metavar="SETTING", action="append", default=[], help=text)
    _add_endpoint_options(compare)
    _add_embedding_options(compare)
    compare.add_argument("--window", type=int, metavar="TOKENS", help="the model's context window")
    compare.add_argument("--workers", type=int, metavar="CALLS", help="calls at once")
    _add_limits(compare)
    _add_never_send(compare)
    compare.add_argument("--out", metavar="DIR", help="write figures, answers and what was built to this folder")
    place = compare.add_mutually_exclusive_group()
    place.add_argument("--project", metavar="NAME", help="add to this project, or make it")
    place.add_argument("--in", dest="folder", metavar="DIR", help="keep the project in this folder")
    compare.add_argument("--yes", action="store_true", help="start without being asked")


def _add_evaluate(commands: Commands) -> None:
    text = "Run methods on questions whose answers are known, judge them, and make tables. Said again, it goes on."
    evaluate = _command(commands, "evaluate", "evaluating:run", text)
    evaluate.add_argument("what", metavar="WHAT", help="a sample corpus, such as harbour; corpusqa; or loong")
    evaluate.add_argument(
        "path", metavar="PATH", nargs="?", help="the benchmark's file or folder, or the sample's book"
    )
    text = 'methods by their ids, with commas between, or "all" (default: r3con)'
    evaluate.add_argument("--methods", metavar="IDS", default="r3con", help=text)
    text = "model (default: the embedded qwen2.5-coder-1.5b); may be said again, to compare models"
    evaluate.add_argument("--model", metavar="NAME", action="append", help=text)
    evaluate.add_argument(
        "--base-url", metavar="URL", help="address of an OpenAI-compatible server (default: embedded)"
    )
    _add_embedding_options(evaluate)
    evaluate.add_argument("--window", type=int, metavar="TOKENS", help="the models' context window")
    evaluate.add_argument("--workers", type=int, metavar="CALLS", help="calls at once")
    evaluate.add_argument("--judge-model", metavar="NAME", help="who judges the answers (default: nobody)")
    evaluate.add_argument("--judge-base-url", metavar="URL", help="the judge's address (default: as --base-url)")
    evaluate.add_argument("--key-env", metavar="VARIABLE", help="environment variable that holds the key")
    evaluate.add_argument("--limit", type=int, metavar="N", help="only the first N tasks")
    evaluate.add_argument("--max-cost", type=float, metavar="AMOUNT", help="stop when all of it has cost so much")
    evaluate.add_argument("--out", metavar="DIR", required=True, help="folder of results, tables and projects")
    evaluate.add_argument("--yes", action="store_true", help="start without being asked")


def _add_embedding_options(parser: argparse.ArgumentParser) -> None:
    text = "model of vectors, for methods that search by meaning (default: a small one on this computer)"
    parser.add_argument("--embedding-model", metavar="NAME", help=text)
    parser.add_argument("--embedding-url", metavar="URL", help="its address, where it is not that of --base-url")


def _add_keeping_commands(commands: Commands) -> None:
    text = "Make a damaged project anew with all that can be saved of it; the broken file is kept beside it."
    rescue = _command(commands, "rescue", "keeping:rescue", text)
    rescue.add_argument("folder", metavar="FOLDER", help="the project's folder, or its name")
    text = "Remove a project wholly: documents, prompts, replies, records, answers. Other files of its folder stay."
    purge = _command(commands, "purge", "keeping:purge", text)
    purge.add_argument("project", metavar="PROJECT", help="the project's name, or its folder")
    purge.add_argument("--yes", action="store_true", help="remove without being asked")
    text = "The audit log: every act on a project, each entry sealed with the one before it."
    audit = commands.add_parser("audit", help=text, description=text)
    actions = audit.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for to, told in (("on", "Write acts down from now on."), ("off", "Write no more acts down.")):
        switch = _command(actions, to, "keeping:switch", told)
        switch.set_defaults(to=to)
        _add_project(switch)
    _add_project(_command(actions, "show", "keeping:show_acts", "List the entries, and what to note elsewhere."))
    verify = _command(actions, "verify", "keeping:verify_acts", "Check that no entry was changed, taken out or put in.")
    _add_project(verify)
    verify.add_argument("--anchor", metavar="NOTED", help="what was noted: shows whether the end was cut off")
    export = _command(actions, "export", "keeping:export_acts", "Save the log as lines of JSON.")
    _add_project(export)
    export.add_argument("--out", metavar="FILE", help="the file to write (default: standard output)")


def _add_run(parser: argparse.ArgumentParser, text: str = "the run, or how it ends (default: newest)") -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", default="", help=text)
    _add_folder(parser)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--in", dest="folder", metavar="DIR", help="the project's folder, where ask was told --out")


def _add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help="model (default: the embedded qwen2.5-coder-1.5b)")
    parser.add_argument("--base-url", metavar="URL", help="address of an OpenAI-compatible server (default: embedded)")
    parser.add_argument("--key-env", metavar="VARIABLE", help="environment variable that holds the key")
