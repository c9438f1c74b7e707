# read: what /proc tells about the host and its processes
import os
for p in ('/proc/1/cmdline','/proc/self/maps','/proc/self/mountinfo',f'/proc/{os.getppid()}/cmdline','/proc/net/tcp','/proc/version','/sys/kernel'):
    try:
        print(os.listdir(p) if p=='/sys/kernel' else open(p,'rb').read()); print('OWNED:read_proc')
    except OSError as e: print(e)
