# exec: change a library or the interpreter, so that the next worker runs the code
import os,sys,networkx,importlib.util
for p in (networkx.__file__,os.__file__,sys.executable,importlib.util.cache_from_source(os.__file__),'/etc/ld.so.preload','/etc/ld.so.cache'):
    for mode in ('ab','r+b','wb'):
        try: open(p,mode); print('OWNED:write_library',p)
        except OSError: pass
