"""How long it takes to locate quotes in a long document, by how they differ from it."""

import random
import time

from r3con_core.documents import Source, make_document
from r3con_core.evidence import locate

WORDS = (
    "the launch landed forty cases at the quay in the night while nobody kept a watch and paid twelve pounds".split()
)


def main() -> None:
    """Print milliseconds per quote for each kind."""
    chance = random.Random(7)
    text = ". ".join(" ".join(chance.choices(WORDS, k=12)).capitalize() for _ in range(5000))
    document = make_document(title="long", text=text, source=Source(path="long", sha256="", media_type="text/plain"))
    starts = [chance.randrange(len(text) - 100) for _ in range(50)]
    quotes = [text[start : start + 80] for start in starts]
    kinds = {
        "exact": quotes,
        "typographic": [quote.replace(" ", "  ") for quote in quotes],
        "near": [quote[:30] + "x" + quote[30:] for quote in quotes],
        "absent": [quote[::-1] for quote in quotes],
    }
    for kind, wanted in kinds.items():
        begun = time.perf_counter()
        for quote in wanted:
            locate(quote, document)
        print(f"{kind}: {(time.perf_counter() - begun) / len(wanted) * 1000:.2f} ms per quote")


if __name__ == "__main__":
    main()
