def counter():
    n = 0
    def add(k=1):
        nonlocal n
        n += k
        return n
    return add
a, b = counter(), counter()
a(); a(5); b()
print(a(0), b(0), a.__closure__[0].cell_contents)
seen = []
def remember(x, into=[]):
    into.append(x)
    return into
print(remember(1), remember(2), remember(3, seen), seen)
total = 0
def add_all(rows):
    global total
    for row in rows:
        total += row['pages']
add_all(records)
print(total)
