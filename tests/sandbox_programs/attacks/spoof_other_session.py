# integ: leave something for another session: the package caches, bytecode, temporary folder, environment
import os,sys,tempfile,networkx
for p in (os.path.dirname(networkx.__file__)+'/sitecustomize.py','/tmp/sbx_cross','../cross','/dev/shm/cross','/var/tmp/cross',sys.prefix+'/cross'):
    try: open(p,'w').write('CROSSTOK')
    except OSError: pass
os.environ['CROSS']='CROSSTOK'; tempfile.tempdir='/tmp'; sys.modules['cross']='CROSSTOK'
# %% session2
import os,sys
print(os.environ.get('CROSS'),sys.modules.get('cross'))
for p in ('/tmp/sbx_cross','../cross','/dev/shm/cross','/var/tmp/cross'):
    try: print(open(p).read())
    except OSError: pass
