# read: the file beside the scratch folder
import os
print(open(os.getcwd()+'/../bait').read()); print('OWNED:read_bait')
