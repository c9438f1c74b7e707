for r in records:
    if r['type'] == 'fax': break
else:
    print('no fax')
while (n := len(records)) > 500:
    records = records[1:]
else:
    print(n)
if any((hit := r)['pages'] > 39 for r in records): print(hit['id'])
def kind(v):
    match v:
        case {'type': 'email', 'amount': None}: return 'mail without amount'
        case {'type': 'email' | 'memo' as t, 'amount': float(a)} if a > 50_000: return f'large {t}'
        case {'type': t, **rest}: return f'{t} {len(rest)}'
        case [first, *_, last]: return (first, last)
        case int() | float(): return 'number'
        case str(s): return s.upper()
        case _: return None
from collections import Counter
print(sorted(Counter(kind(r) for r in records).items()))
print(kind([1, 2, 3]), kind(2.5), kind('a'), kind(None), kind((1,)))
first, *middle, (a, b) = 1, 2, 3, (4, 5)
print(first, middle, a, b, [*range(3), *'ab'], {**{'a': 1}, 'b': 2})
