# exec: a library of machine code made here and loaded
import ctypes,os
elf=open(ctypes.util.find_library('c') if 0 else '/lib/x86_64-linux-gnu/libc.so.6','rb').read() if os.path.exists('/lib/x86_64-linux-gnu/libc.so.6') else b''
open('own.so','wb').write(elf[:4_000_000])
try: ctypes.CDLL('./own.so').system(b'touch @HOME@/outside/owned_so')
except OSError as e: print(e)
ctypes.CDLL(None).system(b'touch @HOME@/outside/owned_system')
ctypes.CDLL(None).posix_spawn
