"""R3Con itself, and the ways of running it that its paper measures (sections D.2.4 and D.2.5, table 3)."""

from dataclasses import replace

from r3con_core.answers import Answer, Mode
from r3con_core.method.brief import Brief
from r3con_core.methods.r3con_traces import built_of_records, built_of_rounds, built_of_steps
from r3con_core.methods.seam import Met, Method, Needs, Principles, Tools
from r3con_core.records import NO_STRUCTURE, Representation
from r3con_core.runs import R3CON, RunSettings
from r3con_core.snippets import RelevantContext
from r3con_core.stages import focus_reading, parse, propose, reason, surface_relevance

PAPER = "Theologitis et al., Realize What Matters, arXiv 2609.27173, 2026"


def run(brief: Brief, tools: Tools) -> Answer:
    """The stages in memory, with the schema as proposed. In a project `run.carry` does the same and keeps all of it."""
    context = RelevantContext(rounds=())
    if brief.settings.relevance:
        brief = focus_reading(brief, tools.models.reading)
        context = surface_relevance(brief, tools.models, tools.watch)
        for built in built_of_rounds(brief.corpus, context):
            tools.watch.built(built)
    data = NO_STRUCTURE
    if brief.settings.structure:
        schema = propose(brief, context, tools.models.reasoning).schema
        data = parse(brief, schema, context, tools.models, tools.watch)
        tools.watch.built(built_of_records(brief.corpus, data))
    representation = Representation(relevant_context=context, structured_data=data)
    answer = reason(brief, representation, tools.models.reasoning, tools.watch, tools.sandbox)
    for built in built_of_steps(answer.steps):
        tools.watch.built(built)
    return answer


_ALL = Principles(
    task_specific=Met.YES,
    enactive=Met.YES,
    flexible=Met.YES,
    why="Snippets are written for the task; each document is read again in the light of what the others say; the schema "
    "is chosen for the task and what was found.",
)


def _way(id_: str, name: str, says: str, section: str, principles: Principles = _ALL, **changed: object) -> Method:
    """R3Con with some of its settings changed."""

    def adapt(settings: RunSettings) -> RunSettings:
        return replace(settings, **changed)  # type: ignore[arg-type]

    return Method(
        id=id_,
        name=name,
        family="R3Con",
        says=says,
        paper=f"{PAPER}, {section}",
        deviations=(
            "Readers first hear what kinds of facts would matter.",
            "Small models reason by a query, which our code carries out.",
        ),
        principles=principles,
        run=run,
        plan=None,
        needs=frozenset({Needs.CODE}) if changed.get("mode") is not Mode.DIRECT else frozenset(),
        adapt=adapt,
    )


R3CON_METHODS: tuple[Method, ...] = (
    _way(R3CON, "R3Con", "Two rounds of reading, records, and a coding agent that reasons over them.", "section 4"),
    _way(
        "r3con-direct",
        "R3Con, direct",
        "As R3Con, but the model answers from snippets and records at once, without code.",
        "section D.2.4",
        mode=Mode.DIRECT,
    ),
    _way(
        "r3con-one-round",
        "R3Con, 1 round",
        "As R3Con, but each document is read once, without what the others say.",
        "section D.2.5",
        replace(_ALL, enactive=Met.NO, why="As R3Con, but no document is read again in the light of the others."),
        rounds=1,
    ),
    _way("r3con-three-rounds", "R3Con, 3 rounds", "As R3Con, but with a third round.", "section D.2.5", rounds=3),
    _way(
        "r3con-no-relevance",
        "R3Con without relevance (0 rounds)",
        "The schema comes from the task alone, and each document is parsed without what the others say.",
        "table 3",
        replace(_ALL, enactive=Met.NO, why="The schema is made for the task, but no document is read for relevance."),
        relevance=False,
    ),
    _way(
        "r3con-no-structure",
        "R3Con without structure",
        "Two rounds of reading; the model answers from the snippets alone.",
        "table 3",
        replace(
            _ALL, flexible=Met.NO, why="Snippets are written for the task and read again, but nothing is structured."
        ),
        structure=False,
    ),
)
