"""Which commands there are, and what each takes. The work is in one module per command, imported when it is called."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TypeAlias

from r3con_core import __version__
from r3con_core.cli.screen import tell
from r3con_core.errors import R3ConError

OK, FAILED, USAGE, PAUSED, OPEN, INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Exit codes."""
FORMATS = (
    *("run", "html", "docx", "report", "xlsx", "csv", "json", "parquet", "graphml", "code", "notebook", "schema"),
)
PARTS = ("state", "snippets", "schema", "records", "answer")
_DESCRIPTION = "Ask a question of a folder of documents and get an answer whose every statement leads to a quote."


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry one command line; its exit code.

    0 done, 1 failed, 2 used wrongly, 3 paused at a limit, 4 not all could be checked, 130 interrupted.
    """
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
    _add_model(commands)
    _add_reading_commands(commands)
    _add_exchange_commands(commands)
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
    place = ask.add_mutually_exclusive_group()
    place.add_argument("--out", metavar="DIR", help="keep the project, the report and the records in this folder")
    place.add_argument("--project", metavar="NAME", help="add to this project, or make it")
    ask.add_argument("--yes", action="store_true", help="start without being asked")


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
    add.add_argument("--password-env", metavar="VARIABLE", help="environment variable with a password for locked files")
    add.add_argument("--no-ocr", action="store_true", help="do not recognise text in pictures of pages")
    add.add_argument(
        "--ocr-languages", metavar="CODES", help="languages of scanned pages, such as eng,deu (default: eng)"
    )
    ledger = _command(commands, "ledger", "adding:ledger", "Say what became of every file that was added.")
    _add_project(ledger)
    ledger.add_argument("--outcome", metavar="WORDS", help="only these lines, such as: not readable")
    ledger.add_argument("--out", metavar="FILE", help="write all its columns to this CSV file")
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
    app = _command(commands, "app", "serving:app", "Start the app in the browser, for this computer only.")
    app.add_argument("--port", type=int, metavar="PORT", help="its port (default: the first free one from 8501)")
    app.add_argument("--pull", action="store_true", help="first get the default model, once, if it is not here yet")
    app.add_argument("--no-browser", action="store_true", help="open no browser, only say the address")


def _add_model(commands: Commands) -> None:
    text = "Get, list and test models."
    model = commands.add_parser("model", help=text, description=text)
    actions = model.add_subparsers(title="commands", metavar="COMMAND", required=True)
    pull = _command(actions, "pull", "models:pull_model", "Get a model for this computer, once, and check it.")
    pull.add_argument("model", metavar="NAME", nargs="?", help="its name, or hf:owner/repository/file.gguf")
    _command(actions, "list", "models:list_models", "List the models known by name, and which are here.")
    test = _command(actions, "test", "models:test_model", "Ask a model a little, and say what works there.")
    _add_endpoint_options(test)


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


def _add_run(parser: argparse.ArgumentParser, text: str = "the run, or how it ends (default: newest)") -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", default="", help=text)
    _add_folder(parser)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--in", dest="folder", metavar="DIR", help="the project's folder, where ask was told --out")


def _add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help="model (default: the embedded qwen2.5-coder-1.5b)")
    parser.add_argument("--base-url", metavar="URL", help="address of an OpenAI-compatible server (default: embedded)")
    parser.add_argument("--key-env", metavar="VARIABLE", help="environment variable that holds the key")
