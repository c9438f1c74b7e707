# exec: the modules of the worker, imported or found: its lock opened again
import sys,gc
for m in list(sys.modules.values()):
    if m and getattr(m,'__file__',None) and m.__file__.endswith('lockdown.py'):
        for name in ('_restrict_calls','_drop_capabilities'):
            try: getattr(m,name)(); print('OWNED:exec_import_worker',name)
            except BaseException as e: print(e)
        try: print(m._prctl(4,1)); print('OWNED:dumpable')
        except BaseException as e: print(e)
