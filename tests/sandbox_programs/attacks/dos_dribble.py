# dos: the channel is fed one byte at a time, so that it is never silent
import os,time
while True:
    for fd in range(3,12):
        try: os.write(fd,b'\0')
        except OSError: pass
    time.sleep(.01)
