# write: a symlink in the scratch folder for the host to follow
import os
os.symlink('@HOME@/outside/existing.txt','link'); print('OWNED:write_symlink')
