# mem: all of the worker's own memory: nothing of the host may have come with it
import gc,sys,ctypes
for o in gc.get_objects():
    for r in (o.values() if isinstance(o,dict) else o if isinstance(o,(list,tuple)) else ()):
        if isinstance(r,(str,bytes)) and len(r)<300:
            s=r if isinstance(r,str) else r.decode('latin-1')
            if 'MEMTOK' in s and 'isinstance' not in s: print(s)
