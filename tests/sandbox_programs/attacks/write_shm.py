# write: drop data in /dev/shm visible to the host
open('/dev/shm/sbx-@PORT@','w').write('x')
