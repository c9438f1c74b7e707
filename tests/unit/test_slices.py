"""Many things at once: each once, neighbours by one worker, the first error ends it."""

import threading

import pytest

from r3con_core.slices import Slices, work_through


def taken(slices: Slices, worker: int, most: int = 100) -> list[int]:
    """What `worker` is given, one after the other."""
    places = (slices.take(worker) for _ in range(most))
    return [place for place in places if place is not None]


def test_each_worker_goes_through_neighbours_in_order() -> None:
    slices = Slices(10, 2)
    assert [slices.take(0), slices.take(1), slices.take(0), slices.take(1)] == [0, 5, 1, 6]


def test_who_is_done_takes_over_half_of_the_longest_rest() -> None:
    slices = Slices(16, 2)
    assert taken(slices, 1, most=8) == list(range(8, 16))
    assert taken(slices, 1, most=2) == [4, 5]
    assert taken(slices, 0) == [0, 1, 2, 3, 7, 6]


def test_every_place_is_given_out_once() -> None:
    slices = Slices(101, 7)
    given = [place for worker in (3, 0, 6, 1, 2, 5, 4) for place in taken(slices, worker, most=20)]
    given += taken(slices, 0, most=101)
    assert sorted(given) == list(range(101))


def test_closed_slices_give_out_nothing() -> None:
    slices = Slices(10, 2)
    slices.close()
    assert taken(slices, 0) == taken(slices, 1) == []


@pytest.mark.parametrize("workers", [1, 3, 64])
@pytest.mark.parametrize("lead", [False, True])
def test_all_items_are_done_whatever_the_number_of_workers(workers: int, lead: bool) -> None:
    assert sorted(work_through(lambda n: n * n, range(20), workers, lead=lead)) == [n * n for n in range(20)]


def test_no_items_give_no_results() -> None:
    assert list(work_through(str, [], 4)) == []


def test_the_leader_is_done_before_any_other_begins() -> None:
    begun: list[int] = []

    def act(item: int) -> int:
        begun.append(item)
        return item

    results = work_through(act, range(8), 4, lead=True)
    assert next(results) == 0
    assert begun == [0]
    assert sorted(results) == list(range(1, 8))


def test_workers_are_at_it_at_the_same_time() -> None:
    together = threading.Barrier(4, timeout=30)

    def act(item: int) -> int:
        together.wait()
        return item

    assert sorted(work_through(act, range(4), 4)) == [0, 1, 2, 3]


def test_the_first_error_ends_it_once_what_is_in_flight_is_done_and_given() -> None:
    begun, finished = list[int](), list[int]()
    both, raised, failed = threading.Barrier(2, timeout=30), threading.Event(), list[threading.Thread]()

    def act(item: int) -> int:
        begun.append(item)
        both.wait()
        if item == 0:
            failed.append(threading.current_thread())
            raised.set()
            raise ValueError("the first")
        assert raised.wait(30)
        failed[0].join(1)  # long enough for it to tell the others to take nothing more; a pool's thread does not end
        finished.append(item)
        return item

    given = list[int]()
    with pytest.raises(ValueError, match="the first"):
        for result in work_through(act, range(4), 2):
            given.append(result)
    assert sorted(begun) == [0, 2]
    assert finished == given == [2]
