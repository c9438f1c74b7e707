# info: where the user's links lead
import os
for target in ('@HOME@/link','/proc/self/exe','/proc/self/cwd','/proc/1/exe'):
    try: print('OWNED:read_link_targets',os.readlink(target))
    except OSError: pass
