# proc: signals to the host by every call that sends one
import ctypes
l=ctypes.CDLL(None,use_errno=True); l.syscall.restype=ctypes.c_long
def call(n,*a): return l.syscall(ctypes.c_long(n),*[x if isinstance(x,(bytes,ctypes.Array)) else ctypes.c_long(x) for x in a])

import os
for target in (os.getppid(), 1, -1, 0, -os.getppid()):
    for n,args in ((62,(target,0)),(200,(target,0)),(234,(target,target,0)),(129,(target,0,bytes(128))),(297,(target,target,0,bytes(128)))):
        if call(n,*args)>=0: print('OWNED:raw_signals',n,target)
