from functools import lru_cache, reduce, singledispatch
from itertools import accumulate, chain, groupby, pairwise, islice, zip_longest
import heapq, operator
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def flat(x):
    for y in x:
        if isinstance(y, list): yield from flat(y)
        else: yield y
def averager():
    total = n = 0
    while True:
        got = yield total / n if n else None
        total += got; n += 1
avg = averager(); next(avg)
print(fib(90), list(flat([1, [2, [3, []], 4]])), [avg.send(v) for v in (1, 2, 6)])
print(heapq.nlargest(2, (r['amount'] or 0 for r in records)), list(accumulate(range(5), operator.mul, initial=1)), list(pairwise('abc')))
print({k: len(list(v)) for k, v in groupby(sorted(r['type'] for r in records))}, list(zip_longest('ab', '1', fillvalue='-')), list(islice(chain.from_iterable([[1], [2, 3]]), 2)))
@singledispatch
def show(x): return 'any'
@show.register
def _(x: int): return 'int'
@show.register(list)
def _(x): return 'list'
print(show(1), show([]), show(''), reduce(lambda a, b: a * b, range(1, 6)), sorted('bca', reverse=True), list(map(max, zip([1, 5], [3, 2]))))
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(900))
