"""ReadAgent: pages cut where the model pauses, a gist of each, and a look back at some pages (Lee et al., ICML 2024)."""

from collections.abc import Sequence
from math import log

from r3con_core.answers import Answer
from r3con_core.documents import estimate_tokens
from r3con_core.errors import CorpusError
from r3con_core.exchange import About, Exchange, Stage, converse, holding
from r3con_core.figures import StageEstimate, exactly, figure
from r3con_core.method.brief import Brief
from r3con_core.method.layout import room_beside
from r3con_core.method.reasoning import ANSWER_TOKENS
from r3con_core.method.shortening import share_out, shorten
from r3con_core.methods.chunks import cut
from r3con_core.methods.many import carry_all, in_order, is_told
from r3con_core.methods.paging import GATHERED, PIECES, Page, form, in_pages, paginate, stretches
from r3con_core.methods.planning import AROUND, about, asks
from r3con_core.methods.seam import Met, Method, Options, Principles, Setting, Size, Tools
from r3con_core.methods.writing import answer_from, block, fill_in, prompt, task_text, write
from r3con_core.stages import GIVES_NOTHING
from r3con_core.traces import Built, Item, Place, View

_SHORTEN = "You shorten pages of a long text so that what matters of each can be remembered."
_CHOOSE = "You remember a long text page by page, in short, and may look at some of its pages again before a task."
_READ = "You answer a task from what you remember of a long text page by page; some pages you have before you in full."
_LABEL = 40
"""Tokens of marks and title around a page."""
_LEAST_GIST = 20
PAGES, GISTS, MEMORY = "Pages", "Gists", "What the answer was written from"


def run(brief: Brief, tools: Tools) -> Answer:
    """Pages, a gist of each, a choice of pages to read again, and an answer from gists and those pages."""
    pages = _paginate_all(brief, tools)
    if not pages:
        raise CorpusError("The documents hold no text, so there are no pages to remember.")
    gists = _gists(brief, tools, pages)
    holds = tuple(dict.fromkeys(id_ for page in pages for id_ in page.documents))
    ask = holding(tools.models.reasoning, lambda: holds)
    try:
        wanted = converse(_choose(brief, pages, gists), ask)
    except GIVES_NOTHING:
        wanted = ()
    memory = _memory(brief, pages, gists, wanted)
    opened = frozenset(place for place, item in enumerate(memory) if item.kind == "page")
    tools.watch.built(_pages(brief, pages, opened))
    says = "The gists in order; pages that the model chose to read again stand in full in place of theirs."
    tools.watch.built(Built(name=MEMORY, says=says, view=View.TEXTS, items=memory, read=True))
    material = [block(brief, item.kind, item.text, item.title) for item in memory]
    return converse(answer_from(brief, material, guide=_READ, step=2), ask)


def _paginate_all(brief: Brief, tools: Tools) -> list[Page]:
    page = max(min(int(brief.settings.option("page")), room_beside(brief.settings.window, 60, task="") // 2), PIECES)
    read = list(enumerate(stretches(cut(brief.corpus, page // PIECES), GATHERED * page), start=1))
    pages: dict[int, list[Page]] = {}
    for place, result in carry_all(
        tools,
        read,
        lambda item: paginate(brief, item[0], item[1], page),
        lambda item: tuple(dict.fromkeys(piece.document_id for piece in item[1])),
    ):
        pages[place] = in_pages(read[place][1], page, result) if isinstance(result, Exception) else result
        if is_told(len(pages), len(read)):
            tools.watch.built(_pages(brief, [one for at in sorted(pages) for one in pages[at]]))
    return [one for at in sorted(pages) for one in pages[at] if one.text.strip()]


def _pages(brief: Brief, pages: Sequence[Page], opened: frozenset[int] = frozenset()) -> Built:
    return Built(
        name=PAGES,
        says="The text in pages, cut where the model would pause. Those that it chose to read again are marked.",
        view=View.TEXTS,
        items=tuple(
            Item(
                id=str(place + 1),
                title=page.title(place + 1, brief.corpus),
                text=page.text,
                places=_places(page),
                kind="page",
                chosen=place in opened,
                fault=page.fault,
            )
            for place, page in enumerate(pages)
        ),
    )


def _places(page: Page) -> tuple[Place, ...]:
    return tuple(piece.place for piece in page.pieces)


def _gists(brief: Brief, tools: Tools, pages: Sequence[Page]) -> list[Item]:
    """What is remembered of each page; its beginning, with a fault, where the model gives nothing."""
    numbered = list(enumerate(pages, start=1))
    written = in_order(
        carry_all(tools, numbered, lambda item: _gist(brief, *item), lambda item: item[1].documents),
    )
    items = []
    for (number, page), text in zip(numbered, written, strict=True):
        failed = isinstance(text, Exception)
        items.append(
            Item(
                id=str(number),
                title=page.title(number, brief.corpus),
                text=shorten(page.text, int(brief.settings.option("gist"))) if isinstance(text, Exception) else text,
                places=_places(page),
                kind="gist",
                fault=f"There is no gist, so the page's beginning stands here. {text}" if failed else "",
            )
        )
    says = "Each page in short: what is remembered of it. They are written without knowing the question."
    tools.watch.built(Built(name=GISTS, says=says, view=View.TEXTS, items=tuple(items)))
    return items


def _gist(brief: Brief, number: int, page: Page) -> Exchange[str]:
    tokens = int(brief.settings.option("gist"))
    room = max(room_beside(brief.settings.window, 2 * tokens, task="") - _LABEL, 1)
    text = page.text if estimate_tokens(page.text) <= room else shorten(page.text, room)
    asked = prompt(
        brief,
        stage=Stage.BUILDING,
        about=About(round=2, step=number),
        guide=_SHORTEN,
        material=[block(brief, "page", text, page.title(number, brief.corpus))],
        request=f"Shorten this page to about {max(tokens * 3 // 4, 12)} words. Write the short version alone.",
        max_tokens=2 * tokens,
    )
    return write(asked)


def _fitted(gists: Sequence[Item], room: int) -> list[str]:
    """Their texts, the longest shortened where all together outgrow `room` tokens."""
    lengths = [estimate_tokens(gist.text) for gist in gists]
    rooms = share_out(lengths, max(room - _LABEL * len(gists), len(gists)))
    return [
        gist.text if length <= left else shorten(gist.text, max(left, 1))
        for gist, length, left in zip(gists, lengths, rooms, strict=True)
    ]


def _choose(brief: Brief, pages: Sequence[Page], gists: Sequence[Item]) -> Exchange[tuple[int, ...]]:
    """Places of the pages to read again, in the order in which the model wants them, each once and not too many."""
    most = int(brief.settings.option("lookups"))
    texts = _fitted(gists, room_beside(brief.reasoning_window, 200, task=brief.task.text))
    asked = prompt(
        brief,
        stage=Stage.REASONING,
        about=About(step=1),
        guide=_CHOOSE,
        material=[block(brief, "gist", text, gist.title) for text, gist in zip(texts, gists, strict=True)],
        request=f"{task_text(brief)}\n\nWhich pages do you want to read again before you do it? Name up to {most} by "
        "number as `pages`, those you need most first, and no more than you need; say in `why` what you look for. "
        "Do not do the task yet.",
        max_tokens=200,
        shape=form(pages={"type": "array", "items": {"type": "integer"}}, why={"type": "string"}),
        window=brief.reasoning_window,
    )
    said = yield from fill_in(asked)
    known = (int(number) for number in said["pages"] if 1 <= number <= len(pages))
    return tuple(number - 1 for number in dict.fromkeys(known))[:most]


def _memory(brief: Brief, pages: Sequence[Page], gists: Sequence[Item], wanted: Sequence[int]) -> tuple[Item, ...]:
    """The gists in order; pages that are `wanted` and fit stand in full in place of theirs."""
    room = room_beside(brief.reasoning_window, ANSWER_TOKENS, task=brief.task.text)
    texts = _fitted(gists, room)
    room -= sum(estimate_tokens(text) + _LABEL for text in texts)
    opened: set[int] = set()
    for place in wanted:
        more = estimate_tokens(pages[place].text) - estimate_tokens(texts[place])
        if more <= room:
            room -= more
            opened.add(place)
    return tuple(
        Item(
            id=gist.id,
            title=gist.title,
            text=pages[place].text if place in opened else texts[place],
            places=gist.places,
            kind="page" if place in opened else "gist",
            chosen=True,
            fault="It was chosen, but the model's window had no room for it." if place in {*wanted} - opened else "",
        )
        for place, gist in enumerate(gists)
    )


def _settings(size: Size) -> tuple[Setting, ...]:
    room = room_beside(size.window, ANSWER_TOKENS, task="") - size.task
    grown = min(max(size.tokens / 250_000, 1.0) ** (log(10) / log(4)), 10.0)
    wanted = min(800 * grown, max(size.tokens / 8, 80))
    fitting = size.tokens / 0.7 / max(room / 2 / (_LABEL + 60), 1)
    page = round(min(max(wanted, fitting), room / 4))
    count = max(size.tokens / (0.7 * max(page, 1)), 1)
    gist = round(min(128 + (grown - 1) * (640 - 128) / 9, page / 3, max(room * 0.6 / count - _LABEL, _LEAST_GIST)))
    return (
        Setting(
            name="page",
            label="Tokens of a page",
            value=min(max(page, 80), 20_000),
            least=80,
            most=20_000,
            says="The most there may be. ReadAgent had 600 words, some 800 tokens; the R3Con paper 6,000 words for a "
            "million tokens. A pause may come after 47 % of it.",
        ),
        Setting(
            name="gist",
            label="Tokens of a gist",
            value=min(max(gist, _LEAST_GIST), 2000),
            least=_LEAST_GIST,
            most=2000,
            says="What is remembered of a page. The R3Con paper had 128, and 640 for a million tokens.",
        ),
        Setting(
            name="lookups",
            label="Pages read again",
            value=5,
            least=0,
            most=20,
            says="The most the model may choose. ReadAgent allowed one to five at once, the runs of the R3Con paper two.",
        ),
    )


def _why_not(size: Size) -> str:
    options = {one.name: one.value for one in _settings(size)}
    room = room_beside(size.window, ANSWER_TOKENS, task="") - size.task
    count = round(max(size.tokens / (0.7 * options["page"]), 1))
    if count * (_LEAST_GIST + _LABEL) <= room:
        return ""
    return (
        f"The documents make about {count:,} pages, and what is remembered of them does not fit the {size.window:,} tokens "
        "that the model takes in at once. Choose a model with a longer context window."
    )


def _plan(size: Size, options: Options) -> tuple[StageEstimate, ...]:
    page, gist = max(options["page"], 1), options["gist"]
    least, likely, most = (max(size.tokens * share / page, 1.0) for share in (0.8, 1.5, 3.0))
    most += len(size.documents) + 2
    calls = figure(least, 1.8 * likely, 2 * most)
    sent = figure(size.tokens, 2.5 * size.tokens + calls.likely * AROUND, 5 * size.tokens + calls.high * 2 * AROUND)
    written = figure(0, likely * (gist + 12), 3 * most * (2 * gist + 60))
    building = StageEstimate(
        stage=Stage.BUILDING, calls=calls, first=calls, prompt=sent, cached=exactly(0), fresh=sent, output=written
    )
    memory = likely * (gist + _LABEL) + options["lookups"] * page / 2
    return building, asks(
        Stage.REASONING, figure(2, 2, 6), about(memory + AROUND + size.task, 0.2, 2.5), about(130, 0.1, 4)
    )


READAGENT = Method(
    id="readagent",
    name="ReadAgent",
    family="Memory",
    says="The model cuts the text into pages where it would pause, remembers each in short, chooses pages to read again for "
    "the question, and answers from its memory and those pages.",
    paper="Lee et al., A Human-Inspired Reading Agent with Gist Memory of Very Long Contexts, ICML 2024, arXiv 2402.09727",
    deviations=(
        "Pages are chosen all at once (ReadAgent-P), as in the R3Con paper, never one after another.",
        "Up to five pages are read again, as ReadAgent allows; the runs of the R3Con paper allowed one or two.",
        "Lengths are in tokens, four for about three words, and scaled to the corpus and the window.",
        "Places to pause are natural breaks about an eighth of a page apart; ReadAgent takes all ends of paragraphs.",
        "Stretches of whole documents are cut into pages side by side; ReadAgent reads one text from its start to its end.",
        "A page may hold several short documents; in the runs of the R3Con paper it never does.",
        "The pause and the pages are named in a small form, not in free words.",
        "A gist is always asked for by length; ReadAgent asks only for a shorter version.",
        "Gists are shortened, and chosen pages left closed, where the model's window has no room for them.",
        "Prompts are our own.",
    ),
    principles=Principles(
        task_specific=Met.NO,
        enactive=Met.NO,
        flexible=Met.NO,
        why="Gists are written without knowing the task, each page by itself. The form is always a list of gists.",
    ),
    run=run,
    settings=_settings,
    plan=_plan,
    why_not=_why_not,
)
