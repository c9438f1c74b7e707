# dos: rename one file over the other, while the old ones are kept open
import os
keep=[]
for i in range(20):
    f=open(f'r{i}','wb',buffering=0); f.write(bytes(1_000_000)); keep.append(f); os.rename(f'r{i}','same')
print('OWNED:dos_disk_renamed')
