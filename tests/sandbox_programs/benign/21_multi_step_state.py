seen = set()
def first_word(s):
    return s.split()[0]
# %%
for r in records:
    seen.add(first_word(r['subject']))
print(len(seen))
# %%
print(sorted(seen))
answer(sorted(seen))
