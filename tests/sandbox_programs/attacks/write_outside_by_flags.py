# write: create, append, exclusive, nameless, direct: every way to open for writing
import os
for target in ('@HOME@/outside/new','@HOME@/outside/existing.txt','@HOME@/outside'):
    for flags in (os.O_WRONLY,os.O_RDWR,os.O_WRONLY|os.O_CREAT,os.O_WRONLY|os.O_CREAT|os.O_EXCL,os.O_WRONLY|os.O_APPEND,os.O_RDONLY|os.O_TRUNC,os.O_RDONLY|os.O_CREAT,os.O_RDWR|os.O_TMPFILE,os.O_WRONLY|os.O_DIRECT,3,3|os.O_TRUNC):
        try: fd=os.open(target,flags,0o600); os.write(fd,b'changed')
        except OSError: pass
