"""The question alone (paper section B.4): what the model says without any document, from what it was trained on."""

from r3con_core.answers import Answer
from r3con_core.exchange import converse, holding
from r3con_core.method.brief import Brief
from r3con_core.methods.planning import answers
from r3con_core.methods.seam import Met, Method, Principles, Tools
from r3con_core.methods.writing import answer_from

_GUIDE = "You answer a task from what you know. You are given no documents."


def run(brief: Brief, tools: Tools) -> Answer:
    """One prompt without any document."""
    return converse(answer_from(brief, (), guide=_GUIDE), holding(tools.models.reasoning, tuple))


ALONE = Method(
    id="alone",
    name="Question alone",
    family="Context",
    says="The model is asked without any document: whatever it gets right, it knew before.",
    paper="Theologitis et al., Realize What Matters, arXiv 2609.27173, 2026, section B.4",
    deviations=("The task is asked as it is; the paper adds the name of the novel to it.",),
    principles=Principles(
        task_specific=Met.NOT_APPLICABLE,
        enactive=Met.NOT_APPLICABLE,
        flexible=Met.NOT_APPLICABLE,
        why="Nothing is read and nothing is built. It shows what of an answer owes nothing to the documents.",
    ),
    run=run,
    plan=lambda size, _: (answers(size.task),),
)
