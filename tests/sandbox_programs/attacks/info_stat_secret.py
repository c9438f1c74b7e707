# info: existence and size of a named file
import os
print(os.stat('@HOME@/.secrets/app_secret.txt').st_size); print('OWNED:info_stat_secret')
