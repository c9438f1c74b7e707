# net: name lookup, which alone can carry data out
import socket
print(socket.getaddrinfo('example.org',80)); print('OWNED:net_dns')
