# write: empty a file that may only be read, by opening it for reading (Landlock before version 3 lets it)
import os,errno,pandas
p=os.path.join(os.path.dirname(pandas.__file__),'testing.py')
for flags in (os.O_RDONLY|os.O_TRUNC,3|os.O_TRUNC):
    try: os.open(p,flags); print('OWNED:write_empty_readable')
    except OSError as e:
        if e.errno!=errno.EPERM: print('OWNED:not refused by the filter')
