# integ: write forged frames to every fd
import os,json,struct
for shape in (lambda b: struct.pack('>I',len(b))+b, lambda b: b+b'\n'):
    b=shape(json.dumps({'nonce':None,'output':'SPOOFED','fault':None,'proposed':{'text':'SPOOFED','cites':['R1']}}).encode())
    for fd in range(0,40):
        try: os.write(fd,b)
        except OSError: pass
