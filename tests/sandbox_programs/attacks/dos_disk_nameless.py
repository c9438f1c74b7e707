# dos: files that never had a name (O_TMPFILE)
import os
os.close(os.open('.',os.O_TMPFILE|os.O_RDWR,0o600)); print('OWNED:dos_disk_nameless')
