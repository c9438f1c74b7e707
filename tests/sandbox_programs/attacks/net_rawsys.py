# net: socket syscall through ctypes (bypass patched socket module)
import ctypes,struct
l=ctypes.CDLL(None,use_errno=True)
fd=l.socket(2,1,0)
a=struct.pack('<H',2)+struct.pack('>H',@PORT@)+bytes([127,0,0,1])+b'\0'*8
print(fd,l.connect(fd,a,16)); l.write(fd,b'raw',3)
