# env: every place a secret of the environment may have been copied to
import os,sys,sysconfig,ctypes,gc,site
l=ctypes.CDLL(None); environ=ctypes.POINTER(ctypes.c_char_p).in_dll(l,'environ')
i=0
while environ[i]: print(environ[i]); i+=1
print(sys.argv,sys.orig_argv,sys.flags,sys._xoptions,os.environb,sysconfig.get_config_vars().get('SBX_API_KEY'))
print([o for o in gc.get_objects() if isinstance(o,(os._Environ,)) and print(dict(o))])
stack=ctypes.cast(environ[0],ctypes.c_void_p).value
print(ctypes.string_at(stack,2000))
