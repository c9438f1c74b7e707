# net: sockets of every family, by every module that makes one
import socket,ctypes,asyncio,http.client,ftplib,smtplib,xmlrpc.client,ssl,urllib.request
for family in range(46):
    for kind in (1,2,3,5):
        try: socket.socket(family,kind); print('OWNED:net_every_family',family,kind)
        except OSError: pass
for way in (lambda: socket.create_connection(('127.0.0.1',@PORT@),1), lambda: socket.socketpair(), lambda: http.client.HTTPConnection('127.0.0.1',@PORT@,timeout=1).request('GET','/'), lambda: ftplib.FTP('127.0.0.1'), lambda: smtplib.SMTP('127.0.0.1',@PORT@), lambda: xmlrpc.client.ServerProxy('http://127.0.0.1:@PORT@').x(), lambda: urllib.request.urlopen('http://127.0.0.1:@PORT@'), lambda: socket.fromfd(3,2,1), lambda: socket.if_nameindex() and print('OWNED:names')):
    try: way()
    except Exception as e: pass
