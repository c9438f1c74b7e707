# exec: code objects and functions made by hand, bytecode that breaks the interpreter
import types,marshal,os
f=lambda: os.popen('cat @HOME@/.secrets/app_secret.txt').read()
print(types.FunctionType(marshal.loads(marshal.dumps(f.__code__)),{'os':os})())
c=f.__code__.replace(co_consts=(),co_names=())
try: types.FunctionType(c,{})()
except BaseException: pass
