# dos: block the alarm that ends a step, then loop
import signal
signal.pthread_sigmask(signal.SIG_BLOCK,range(1,64))
while True: pass
