# proc: become another program
import os,sys
for p in ('/bin/sh','/usr/bin/env',sys.executable):
    try: os.execv(p,[p,'-c','touch @HOME@/outside/execed; cat @HOME@/.secrets/app_secret.txt'])
    except OSError as e: print(e)
