# dos: memory that Python does not count: C's own, mapped without reserve, numpy's, locked
import ctypes,mmap,numpy as np
l=ctypes.CDLL(None,use_errno=True); l.malloc.restype=l.mmap.restype=ctypes.c_void_p
got=0
for size in (1<<30,1<<28,1<<26):
    for way in (lambda: l.malloc(ctypes.c_size_t(size)), lambda: l.mmap(None,ctypes.c_size_t(size),3,0x4022,-1,ctypes.c_long(0))):
        for i in range(64):
            p=way()
            if p in (None,2**64-1): break
            ctypes.memset(p,1,size); got+=size
    try:
        keep=[np.ones(size//8) for i in range(64)]
    except MemoryError: pass
print(got>>20)
