from dataclasses import dataclass, field
@dataclass(order=True)
class Party:
    name: str
    mails: list = field(default_factory=list, compare=False)
parties = {}
def party(name):
    return parties.setdefault(name.strip(), Party(name.strip()))
# %%
for r in records:
    party(r['sender']).mails.append(r['id'])
del r
# %%
best = max(parties.values(), key=lambda p: (len(p.mails), p.name))
print(best.name, len(best.mails), sorted(parties.values())[0].name)
print('r' in globals(), 'party' in dir(), __name__)
# %%
_ = [p.name for p in parties.values()]
print(len(_), sum(len(p.mails) for p in parties.values()) == len(records))
answer(best.name)
