# integ: a finalizer, an exit handler and a __del__ that speak later
import weakref,atexit
class Later:
    def __del__(self): answer('SPOOFED'); print('SPOOFED')
kept=Later(); kept.me=kept
weakref.finalize(kept,lambda: answer('SPOOFED')); atexit.register(lambda: answer('SPOOFED'))
