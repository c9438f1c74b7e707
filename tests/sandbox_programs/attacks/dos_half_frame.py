# dos: half a frame, and then nothing
import os,time
for fd in range(3,12):
    try: os.write(fd,b'\0\0\1\0{"non')
    except OSError: pass
time.sleep(60)
