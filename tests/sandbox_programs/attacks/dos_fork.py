# dos: fork bomb, ten processes only
import os
for i in range(10):
    if os.fork()==0:
        import time; time.sleep(20); os._exit(0)
    print('OWNED:dos_fork')
