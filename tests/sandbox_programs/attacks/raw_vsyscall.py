# proc: the vsyscall page, a way into the kernel at a fixed address
import ctypes
if ctypes.CFUNCTYPE(ctypes.c_long,ctypes.c_void_p,ctypes.c_void_p)(0xffffffffff600800)(None,None)==0: print('OWNED:raw_vsyscall')
