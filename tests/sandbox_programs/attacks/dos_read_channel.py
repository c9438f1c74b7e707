# dos: read the channel ahead of the worker
import os
for fd in range(3,12):
    try: os.set_blocking(fd,False); print('OWNED:dos_read_channel',os.read(fd,100))
    except OSError: pass
    try: os.set_blocking(fd,True)
    except OSError: pass
