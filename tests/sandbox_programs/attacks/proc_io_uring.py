# proc: io_uring does what the filter of system calls cannot see
import ctypes
l=ctypes.CDLL(None,use_errno=True); p=ctypes.create_string_buffer(120)
fd=l.syscall(425,4,p)
if fd>=0: print('OWNED:proc_io_uring')
