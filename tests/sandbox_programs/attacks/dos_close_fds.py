# dos: close every fd and wait
import os,time
os.closerange(0,64)
time.sleep(1000)
