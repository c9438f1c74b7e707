# proc: numbers whose upper half is set, which kernel and filter may read differently
import ctypes
l=ctypes.CDLL(None,use_errno=True); l.syscall.restype=ctypes.c_long
def call(n,*a): return l.syscall(ctypes.c_long(n),*[x if isinstance(x,(bytes,ctypes.Array)) else ctypes.c_long(x) for x in a])

for n in (41|1<<32, 57|1<<32, 59|1<<63, 62|0xffffffff<<32):
    if call(n,2,1,0)>=0: print('OWNED:raw_high_bits',n)
