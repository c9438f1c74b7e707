# read: numpy and mmap open the file in their own ways
import numpy as np,mmap
p='@HOME@/.secrets/app_secret.txt'
for way in (lambda: bytes(np.memmap(p,dtype='u1',mode='r')), lambda: bytes(np.memmap(p,dtype='u1',mode='r+')), lambda: bytes(np.memmap(p,dtype='u1',mode='c')), lambda: np.lib.format.open_memmap(p),
            lambda: np.DataSource(None).open(p).read(), lambda: np.fromregex(p,r'(.+)',[('a','U99')]), lambda: np.load(p,mmap_mode='r'), lambda: np.fromfile(p,'u1').tobytes()):
    try: print(way())
    except Exception as e: pass
