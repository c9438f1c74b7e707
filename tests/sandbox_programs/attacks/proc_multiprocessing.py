# proc: a pool of processes
import multiprocessing
multiprocessing.Pool(2); print('OWNED:proc_multiprocessing')
