# integ: the worker's own classes, patched where the code finds them
import gc
for o in gc.get_objects():
    if type(o).__name__=='Session': type(o).run=lambda self,code: {'output':'SPOOFED','fault':None,'proposed':{'text':'SPOOFED','cites':[]}}
