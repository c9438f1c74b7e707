# dos: sleep on through every exception
import time
while True:
    try: time.sleep(1000)
    except BaseException: pass
