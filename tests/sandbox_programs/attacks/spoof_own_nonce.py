# integ: find this step's nonce in the worker's frames, answer in its name so that its own reply counts for the next step
import sys,os,json,struct
f=sys._getframe(); nonce=None
while f is not None:
    if isinstance(f.f_locals.get('step'),dict): nonce=f.f_locals['step']['nonce']
    f=f.f_back
print(nonce is not None)
b=json.dumps({'nonce':nonce,'output':'','fault':None,'proposed':None}).encode()
for fd in range(3,32):
    try: os.write(fd,struct.pack('>I',len(b))+b)
    except OSError: pass
answer('SPOOFED')
print('SPOOFED')
