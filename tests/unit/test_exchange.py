"""An exchange is carried to its end, and what goes wrong outside it is not taken for that."""

from collections.abc import Iterator

import pytest

from r3con_core.exchange import Exchange, Message, Prompt, Reply, Stage, converse

PROMPT = Prompt(stage=Stage.FOCUS, messages=(Message(role="user", pieces=("Hm?",)),))


def two_words() -> Exchange[str]:
    first = yield PROMPT
    second = yield PROMPT
    return f"{first.text} {second.text}"


def test_an_exchange_gives_its_result_when_it_has_had_its_replies() -> None:
    replies = iter((Reply(text="one"), Reply(text="two"), Reply(text="three")))
    assert converse(two_words(), lambda _: next(replies)) == "one two"
    assert next(replies).text == "three"


def test_a_stop_iteration_of_the_asker_is_no_end_of_the_exchange() -> None:
    replies: Iterator[Reply] = iter(())
    with pytest.raises(StopIteration):
        converse(two_words(), lambda _: next(replies))
