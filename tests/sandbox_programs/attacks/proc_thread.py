# proc: a thread to work on between the steps
import threading,time
def w():
    time.sleep(.2); open('@HOME@/outside/thread','w').write('x')
threading.Thread(target=w).start(); print('OWNED:proc_thread')
