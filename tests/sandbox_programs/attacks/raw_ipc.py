# proc: every way of sharing memory or messages with other processes
import ctypes
l=ctypes.CDLL(None,use_errno=True); l.syscall.restype=ctypes.c_long
def call(n,*a): return l.syscall(ctypes.c_long(n),*[x if isinstance(x,(bytes,ctypes.Array)) else ctypes.c_long(x) for x in a])

ways=dict(shmget=(29,0,4096,0o1600),semget=(64,0,1,0o1600),msgget=(68,0,0o1600),mq_open=(240,b'sbx\0',0o102,0o600,0),pipe=(22,bytes(8)),pipe2=(293,bytes(8),0),
    eventfd=(290,0,0),timerfd=(283,1,0),signalfd=(289,-1,bytes(8),8,0),epoll=(291,0),socket=(41,1,1,0),socketpair=(53,1,1,0,bytes(8)),vsock=(41,40,1,0),netlink=(41,16,3,0),packet=(41,17,3,0),
    splice=(275,3,0,4,0,10,0),tee=(276,3,4,10,0),vmsplice=(278,4,bytes(16),1,0),sendfile=(40,4,3,0,10),copy_file_range=(326,3,0,4,0,10,0),timer_create=(222,0,0,bytes(8)),sendmsg=(46,4,bytes(56),0),recvmsg=(47,3,bytes(56),0))
for name,(n,*rest) in ways.items():
    if call(n,*rest)>=0: print('OWNED:raw_ipc',name)
