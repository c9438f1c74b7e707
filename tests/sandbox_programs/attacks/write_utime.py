# write: change the times of a user file (not covered by Landlock)
import os
os.utime('@HOME@/outside/existing.txt',(1,1)); print('OWNED:write_utime')
