# net: TCP connect to ::1
import socket
s=socket.socket(socket.AF_INET6); s.settimeout(2); s.connect(('::1',@PORT@)); s.sendall(b'hello6'); s.close()
