import sys
a, w = 3.14159, 8
print('a', 1, None, sep=' | ', end='!\n')
print(*[r['id'] for r in records[:3]], sep='\n')
print(f'{a=} {a=:.2f} {a!r:>10} {w=} {a:{w}.{2}f} {1_000_000:,} {255:#x} {0.256:.1%} {-5:+d} {"x":*^7} {{}}')
print(f"{records[0]['subject']!r} {', '.join(sorted({r['type'] for r in records}))}", flush=True)
print('%-6s|%6.1f|%03d' % ('ab', 2.25, 7), '{0}{1}{0}'.format('x', 'y'), 'x'.join(map(str, range(3))))
sys.stdout.write('written\n'); print('to stderr', file=sys.stderr)
print('Zürich – “Öl” 中文 🚢'.encode().decode(), ascii('é'), len('👩‍🚀'))
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), 7 // -2, 7 % -2, divmod(-7, 2), 0.1 + 0.2, 10 ** 20, 2 ** -1)
print(True + True, 1 == 1.0, [] is [], None is None, 'a' < 'B', [1, 2] < [1, 3], not [], 0 or 'x', '' and 1)
