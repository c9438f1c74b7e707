# write: beside the scratch folder and where everybody may write
import os
d=os.getcwd()
for p in (d+'/../beside','/tmp/sbx-@PORT@','/var/tmp/sbx-@PORT@','@HOME@/outside/tmp'):
    try: open(p,'w').write('x'); print('OWNED:write_tmp')
    except OSError as e: print(e)
