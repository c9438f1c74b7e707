# mem: str.format attribute access into host function globals
for o in (answer,):
    for t in ('{0.__globals__}', '{0.__init__.__globals__}', '{0.__func__.__globals__}', '{0.__self__.__dict__}', '{0.__closure__}', '{0.__wrapped__.__globals__}'):
        try: print(t.format(o)[:100000])
        except Exception as e: print(type(e))
        try: print(t.format_map({'0': o})[:100000])
        except Exception as e: print(type(e))
