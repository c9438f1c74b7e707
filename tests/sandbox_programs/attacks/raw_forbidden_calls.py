# proc: every system call that is for administrators, spies or other processes, one by one
import ctypes
l=ctypes.CDLL(None,use_errno=True); l.syscall.restype=ctypes.c_long
def call(n,*a): return l.syscall(ctypes.c_long(n),*[x if isinstance(x,(bytes,ctypes.Array)) else ctypes.c_long(x) for x in a])

ways=dict(ptrace=(101,16,1),process_vm_readv=(310,1,0,0,0,0,0),process_vm_writev=(311,1,0,0,0,0,0),pidfd_open=(434,1,0),pidfd_getfd=(438,3,0,0),
    pidfd_send_signal=(424,3,0,0,0),kcmp=(312,1,1,0,0,0),perf_event_open=(298,bytes(120),0,-1,-1,0),bpf=(321,0,bytes(120),120),userfaultfd=(323,1),
    keyctl=(250,0,-3,1),add_key=(248,b'user\0',b'k\0',b'v',1,-2),request_key=(249,b'user\0',b'k\0',0,0),unshare=(272,0x10000000),setns=(308,3,0),
    clone=(56,17,0,0,0,0),vfork=(58,),clone3=(435,bytes(88),88),mount=(165,b'none\0',b'/\0',b'tmpfs\0',0,0),umount=(166,b'/proc\0',2),pivot_root=(155,b'.\0',b'.\0'),
    chroot=(161,b'.\0'),open_tree=(428,-100,b'.\0',1),fsopen=(430,b'tmpfs\0',0),move_mount=(429,-100,b'.\0',-100,b'.\0',0),fspick=(433,-100,b'.\0',0),
    name_to_handle=(303,-100,b'/\0',b'\x80'+bytes(140),bytes(8),0),open_by_handle=(304,3,bytes(140),0),openat2=(437,-100,b'/etc/passwd\0',bytes(24),24),
    memfd=(319,b'x\0',0),memfd_secret=(447,0),execveat=(322,3,b'\0',0,0,0x1000),io_uring_setup=(425,4,bytes(120)),fanotify=(300,0,0),inotify=(294,0),
    seccomp=(317,1,0,bytes(16)),prctl=(157,4,1),landlock=(444,0,0,1),personality=(135,0x0040000),iopl=(172,3),ioperm=(173,0,8,1),modify_ldt=(154,0,bytes(16),16),
    swapon=(167,b'x\0',0),reboot=(169,0,0,0),syslog=(103,3,bytes(100),100),kexec=(246,0,0,0,0),init_module=(175,bytes(4),4,b'\0'),quotactl=(179,0,0,0,0),
    setuid=(105,1),setgid=(106,1),setgroups=(116,0,0),setresuid=(117,1,1,1),setpgid=(109,0,0),setsid=(112,),capset=(126,bytes(8),bytes(24)),
    setpriority=(141,0,0,-20),sched_setaffinity=(203,0,8,bytes(8)),sched_setscheduler=(144,0,0,bytes(4)),setrlimit=(160,7,bytes(16)),ioprio=(251,1,0,0),
    adjtimex=(159,bytes(256)),settime=(227,0,bytes(16)),sethostname=(170,b'x',1),setdomain=(171,b'x',1),mbind=(237,0,0,0,0,0,0),migrate=(256,1,0,0,0),process_madvise=(440,3,0,0,0,0))
for name,(n,*rest) in ways.items():
    if call(n,*rest)>=0: print('OWNED:raw_forbidden_calls',name)
