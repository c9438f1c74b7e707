# net: connect to an abstract UNIX socket
import socket
s=socket.socket(socket.AF_UNIX); s.connect('\0sbx-abs-@PORT@'); s.sendall(b'abs'); s.close()
