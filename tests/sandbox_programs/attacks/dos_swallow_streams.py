# dos: other things put in the place of every stream and of the channel
import os
n=os.open(os.devnull,os.O_RDWR)
for fd in range(32):
    if fd!=n:
        try: os.dup2(n,fd)
        except OSError: pass
