# proc: a socket by machine code of its own, past every library
import ctypes,mmap
def machine(code):
    m=mmap.mmap(-1,4096,prot=7); m.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()

fd=machine(b'\xb8\x29\0\0\0\xbf\x02\0\0\0\xbe\x01\0\0\0\x31\xd2\x0f\x05\xc3')
if fd>=0: print('OWNED:raw_shellcode_socket')
