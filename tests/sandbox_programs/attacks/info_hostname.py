# info: the name of the machine
import os
if os.uname().nodename!='sandbox': print('OWNED:info_hostname')
