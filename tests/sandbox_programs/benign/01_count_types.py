n = {}
for r in records:
    n[r['type']] = n.get(r['type'], 0) + 1
print(sorted(n.items()))
answer(n['email'])
