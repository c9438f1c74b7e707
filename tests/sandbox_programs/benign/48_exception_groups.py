import contextlib
def risky(r):
    if r['amount'] is None: raise ValueError(r['id'])
    if r['pages'] > 38: raise KeyError(r['id'])
errors = []
for r in records:
    try: risky(r)
    except (ValueError, KeyError) as e: errors.append(e)
try:
    raise ExceptionGroup('checks', errors)
except* ValueError as group:
    print('without amount', len(group.exceptions))
except* KeyError as group:
    print('long', [e.args[0] for e in group.exceptions][:3])
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise RuntimeError('share') from e
except RuntimeError as e:
    e.add_note('noted'); print(repr(e.__cause__), e.__notes__)
def f():
    try: return 'try'
    finally: print('finally')
print(f())
with contextlib.suppress(KeyError): {}['x']
class Log:
    def __enter__(self): print('in'); return self
    def __exit__(self, *a): print('out', a[0].__name__); return True
with Log(): raise IndexError
