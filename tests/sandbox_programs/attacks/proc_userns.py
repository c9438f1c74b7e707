# proc: an own user namespace, where one is root
import ctypes
l=ctypes.CDLL(None,use_errno=True)
if l.unshare(0x10000000)==0: print('OWNED:proc_userns')
