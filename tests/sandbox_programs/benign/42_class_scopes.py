x = 'outer'
class A:
    x = 'class'
    names = [x for _ in range(2)]
    def who(self):
        return x, self.x, type(self).__name__
    @property
    def half(self):
        return self._half
    @half.setter
    def half(self, value):
        self._half = value / 2
    @staticmethod
    def s(): return 's'
    @classmethod
    def c(cls): return cls.__name__
class B(A):
    x = 'sub'
    def who(self):
        return super().who() + ('b',)
class Meta(type):
    def __len__(cls): return 7
class C(metaclass=Meta):
    __slots__ = ('v',)
b = B(); b.half = 9
print(A.names, b.who(), b.half, B.s(), B.c(), len(C), B.__mro__[1].__name__)
class Money:
    def __init__(self, n): self.n = n
    def __add__(self, o): return Money(self.n + (o.n if isinstance(o, Money) else o))
    __radd__ = __add__
    def __format__(self, spec): return f'EUR {self.n:{spec}}'
    def __eq__(self, o): return self.n == o.n
    def __hash__(self): return hash(self.n)
print(f"{sum(Money(r['amount'] or 0) for r in records):,.2f}", len({Money(1), Money(1), Money(2)}))
