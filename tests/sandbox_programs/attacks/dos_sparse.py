# dos: sparse files: holes, seeks past the end, ftruncate, fallocate
import os
for i in range(3):
    fd=os.open(f's{i}',os.O_RDWR|os.O_CREAT,0o600)
    for way in (lambda: os.ftruncate(fd,1<<40), lambda: os.pwrite(fd,b'x',1<<40), lambda: os.posix_fallocate(fd,0,1<<30), lambda: os.lseek(fd,1<<40,0) and os.write(fd,b'x')):
        try: way(); print('OWNED:dos_sparse')
        except OSError: pass
