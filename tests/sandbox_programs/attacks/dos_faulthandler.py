# dos: the crash handler of Python and its watchdog thread
import faulthandler,sys
try: faulthandler.dump_traceback_later(0.01,repeat=True)
except Exception as e: print(e)
try: faulthandler.enable(); faulthandler.dump_traceback()
except Exception as e: print(e)
faulthandler._sigsegv()
