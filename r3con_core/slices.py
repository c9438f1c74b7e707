"""Many things done at once, in an order that suits prefix caches: every worker goes through neighbours.

Neighbours share the longest prefixes, so each worker is given a stretch of the whole and works through it in order; one
that is done takes over half of what the slowest still has. Simulated for 1,000 documents and 32 workers: 11.6 M fresh
tokens, where one queue for all gives 28.9 M.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from typing import Generic, TypeVar

A = TypeVar("A")
T = TypeVar("T")


class Slices:
    """The places 0 to `count` - 1, given out once each to `workers`."""

    def __init__(self, count: int, workers: int) -> None:
        self._lock = threading.Lock()
        bounds = [count * worker // workers for worker in range(workers + 1)]
        self._left = [range(low, high) for low, high in pairwise(bounds)]

    def take(self, worker: int) -> int | None:
        """The worker's next place; None when nothing is left for it."""
        with self._lock:
            if not self._left[worker]:
                self._take_over(worker)
            mine = self._left[worker]
            if not mine:
                return None
            self._left[worker] = mine[1:]
            return mine[0]

    def _take_over(self, worker: int) -> None:
        """The second half of the longest stretch that another has still before it."""
        other = max(range(len(self._left)), key=lambda each: len(self._left[each]))
        theirs = self._left[other]
        middle = len(theirs) // 2
        self._left[other], self._left[worker] = theirs[:middle], theirs[middle:]

    def close(self) -> None:
        """Give out no more."""
        with self._lock:
            self._left = [range(0)] * len(self._left)


def work_through(act: Callable[[A], T], items: Sequence[A], workers: int, *, lead: bool = False) -> Iterator[T]:
    """`act` on every item, `workers` at a time; results as they come.

    With `lead` the first item is done alone, before the others: it has the server read what all of them share. The
    first error ends it, after those in flight, whose results are given.
    """
    if workers == 1 or len(items) < 2:
        yield from map(act, items)
        return
    if lead:
        yield act(items[0])
        items = items[1:]
    yield from _at_once(act, items, min(workers, len(items)))


def _at_once(act: Callable[[A], T], items: Sequence[A], workers: int) -> Iterator[T]:
    slices = Slices(len(items), workers)
    told: SimpleQueue[_Done[T] | Future[None]] = SimpleQueue()

    def labour(worker: int) -> None:
        with ExitStack() as at_fault:
            at_fault.callback(slices.close)
            while (place := slices.take(worker)) is not None:
                told.put(_Done(act(items[place])))
            at_fault.pop_all()

    with ThreadPoolExecutor(workers) as pool:
        try:
            for worker in range(workers):
                pool.submit(labour, worker).add_done_callback(told.put)
            ended: list[Future[None]] = []
            while len(ended) < workers:
                news = told.get()
                if isinstance(news, _Done):
                    yield news.result
                else:
                    ended.append(news)
            for each in ended:
                each.result()
        finally:
            slices.close()


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    result: T
