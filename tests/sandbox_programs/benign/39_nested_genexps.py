n = 3
rows = [[r['pages'], len(r['recipients'])] for r in records[:6]]
print(sum(x * y for row in rows for x, y in [row] if all(v > 0 for v in (w for w in row))))
print([list(i + j for j in range(i)) for i in range(n)], [*(tuple(k for k in range(m) if k % 2) for m in range(n + 2))])
adders = [lambda v, k=k: v + k for k in range(3)]
late = [lambda v: v + k for k in range(3)]
print([f(10) for f in adders], [f(10) for f in late])
lazy = (r['id'] for r in records if r['amount'] and r['amount'] > limit)
limit = 85_000
print(sum(1 for _ in lazy), {len(s): s for s in sorted({r['type'] for r in records})}, max((r['pages'], r['id']) for r in records))
print([[y for y in row if y > (min(z for z in row))] for row in rows][:3])
