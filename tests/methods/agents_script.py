"""What a scripted model says to agents: programs that look at the documents, ask about one, and answer."""

from r3con_core.exchange import Prompt, Stage

LOOK = "I look for the sentences.\n```python\nfound = [d['text'] for d in documents][:2]\nprint(found[0][:300])\n```"
CONCLUDE = "```python\nanswer(found[0][:200])\n```"
ASK = (
    "I ask about each document.\n```repl\nreplies = llm_query_batched([f'What is told here?\\n{text[:1500]}' for text in "
    "context[:3]])\nprint(replies[0])\n```"
)


def agent_reply(prompt: Prompt) -> str | None:
    """A turn of an agent; None for all other prompts."""
    guide = "\n".join(prompt.messages[0].pieces)
    if prompt.stage is not Stage.REASONING or "by writing Python" not in guide:
        return None
    if "llm_query" in guide:
        return ASK if prompt.about.step == 1 else "FINAL_VAR(replies)" if prompt.about.step == 2 else "FINAL(Nothing.)"
    return LOOK if prompt.about.step == 1 else CONCLUDE
