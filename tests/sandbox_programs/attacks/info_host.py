# info: what may be asked about the process that started this one
import os
for way in (lambda: os.getlogin(), lambda: os.ttyname(0), lambda: os.ctermid() and os.getpgid(os.getppid()), lambda: os.sched_getaffinity(os.getppid()) if os.getppid()>1 else 1/0, lambda: __import__('resource').prlimit(os.getppid(),7)):
    try: print('OWNED:info_host',way())
    except Exception as e: pass
