# read: a handle that names without opening (O_PATH), then every way to make it readable
import os
for target in ('@HOME@','@HOME@/.secrets','@HOME@/.secrets/app_secret.txt'):
    try: h=os.open(target,os.O_PATH)
    except OSError: continue
    ways=(lambda: os.read(h,99), lambda: os.listdir(h), lambda: os.open('app_secret.txt',os.O_RDONLY,dir_fd=h), lambda: os.open(f'/proc/self/fd/{h}',0),
          lambda: open(f'/dev/fd/{h}').read(), lambda: os.open('',0x100000,dir_fd=h), lambda: os.fchdir(h), lambda: os.scandir(h).__next__().name)
    for way in ways:
        try: print(way())
        except OSError: pass
