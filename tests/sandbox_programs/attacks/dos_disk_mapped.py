# dos: fill the disk with files that are mapped, then deleted and closed, so that nobody sees them
import os,ctypes
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p
n=0
for i in range(40):
    try:
        fd=os.open('x',os.O_RDWR|os.O_CREAT,0o600); os.write(fd,bytes(8_000_000))
        mapped=l.mmap(None,ctypes.c_size_t(4096),1,1,fd,ctypes.c_long(0)); os.unlink('x'); os.close(fd)
        if mapped not in (None,2**64-1): n+=1
    except OSError: break
if n>=20: print('OWNED:dos_disk_mapped')
