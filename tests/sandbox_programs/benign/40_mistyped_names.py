def total(rows):
    return sum(row['amout'] for row in rows)
for attempt in (lambda: recrods, lambda: total(records), lambda: records[0].sender, lambda: len(5), lambda: "a" + 1, lambda: [][0], lambda: int('x'), lambda: {}.pop('k'), lambda: undefined_in_a_genexp_of(1), lambda: list(missing + 1 for _ in range(1))):
    try:
        print(attempt())
    except Exception as error:
        print(type(error).__name__, error)
def shadow():
    try:
        print(later)
        later = 1
    except UnboundLocalError as error:
        print(type(error).__name__)
shadow()
try:
    error
except NameError as gone:
    print('the name of a caught error is gone:', gone)
