# write: rename, exchange or link a file of the scratch folder over one of the user's
import ctypes
l=ctypes.CDLL(None,use_errno=True); l.syscall.restype=ctypes.c_long
def call(n,*a): return l.syscall(ctypes.c_long(n),*[x if isinstance(x,(bytes,ctypes.Array)) else ctypes.c_long(x) for x in a])

import os
open('mine','w').write('changed')
for way in (lambda: os.rename('mine','@HOME@/outside/existing.txt'), lambda: os.replace('mine','@HOME@/outside/new'), lambda: os.link('mine','@HOME@/outside/new2'), lambda: os.symlink('mine','@HOME@/outside/new3')):
    try: way(); print('OWNED:write_by_rename')
    except OSError: pass
import os as o
if call(316,-100,(o.getcwd()+'/mine\0').encode(),-100,b'@HOME@/outside/existing.txt\0',2)==0: print('OWNED:exchange')
