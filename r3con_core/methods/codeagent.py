"""CodeAgent (Roucher et al., 2025; CodeAct, Wang et al., 2024): an agent whose every action is a program.

The documents are variables of its session; it looks at them by printing, and keeps what it finds in variables.
"""

from r3con_core.answers import Answer
from r3con_core.exchange import Stage
from r3con_core.figures import StageEstimate
from r3con_core.method.brief import Brief
from r3con_core.methods.coding import STEP_TOKENS, Manner, documents_variable, work
from r3con_core.methods.planning import AROUND, asks, figure
from r3con_core.methods.seam import Met, Method, Needs, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import ANSWERING, task_text

FEW_STEPS, MANY_STEPS = 20, 60
LARGE = 250_000
"""Tokens of a corpus from which on it gets many steps: Loong's longest tasks lie below it, CorpusQA's above."""
_GUIDE = """You solve a task over a collection of documents by writing Python, one program a turn.
Each turn, first write in a sentence or two what you want to find out, then one program between ```python and ```.
It is run, and you are shown what it printed. Names that a program defines stay for the next ones.
`documents` is a list with a dict for each document: "number", "title" and "text". pandas (pd), networkx (nx), re, json,
math, datetime, collections, statistics and itertools are there. There is no network, and no file but those you make.
The documents are long: print what you look for and the text around it, not whole documents.
Once you know the answer, call answer(text) in a program; before that, check it against the documents."""


def run(brief: Brief, tools: Tools) -> Answer:
    """Steps of code until one calls `answer`."""
    count = len(brief.corpus.documents)
    letters = sum(len(one.text) for one in brief.corpus.documents)
    manner = Manner(
        guide=_GUIDE,
        opening=(f"{task_text(brief)}\n\n`documents` holds {count:,} documents, {letters:,} letters.\n\n{ANSWERING}",),
        steps=int(brief.settings.option("steps")),
    )
    with tools.sandbox({"documents": documents_variable(brief)}) as sandbox:
        tools.watch.walls(sandbox.walls)
        return work(brief, tools, manner, sandbox)


def settings(size: Size) -> tuple[Setting, ...]:
    """How many steps."""
    return (
        Setting(
            name="steps",
            label="Most steps",
            value=MANY_STEPS if size.tokens >= LARGE else FEW_STEPS,
            least=1,
            most=200,
            says="After so many programs it has to answer. The paper had 20 on Loong, and 60 on CorpusQA and for small "
            "models.",
        ),
    )


def plan_of_steps(size: Size, steps: float) -> StageEstimate:
    """What an agent of so many steps asks: it may end at the first, and its prompts grow up to the window."""
    usual = min(8.0, steps)
    grown = min(3_000.0, size.window / 2)
    return asks(
        Stage.REASONING,
        figure(1, usual, steps + 3),
        figure(AROUND, AROUND + 300 + grown / 2, size.window),
        figure(5, 250, STEP_TOKENS),
    )


def plan(size: Size, options: Options) -> tuple[StageEstimate, ...]:
    """One call for each step."""
    return (plan_of_steps(size, options["steps"]),)


AGENT_PRINCIPLES = Principles(
    task_specific=Met.NOT_APPLICABLE,
    enactive=Met.NOT_APPLICABLE,
    flexible=Met.NOT_APPLICABLE,
    why="It builds no representation of the documents: what matters, and how it hangs together, is left to the steps that "
    "the agent happens to take.",
)

CODEAGENT = Method(
    id="codeagent",
    name="CodeAgent",
    family="Agents",
    says="An agent writes Python over the documents, sees what it prints, and goes on until it answers.",
    paper="Roucher et al., smolagents, 2025; Wang et al., Executable Code Actions Elicit Better LLM Agents (CodeAct), "
    "ICML 2024",
    deviations=(
        "The prompts are our own, without the worked examples of smolagents.",
        "Code runs in our sandbox, with pandas and networkx, and not in the interpreter of smolagents.",
        "It ends by answer(...), where smolagents has final_answer(...).",
        "Where the window is full, the earliest steps are left out of the prompt.",
    ),
    principles=AGENT_PRINCIPLES,
    run=run,
    settings=settings,
    plan=plan,
    needs=frozenset({Needs.CODE}),
)
