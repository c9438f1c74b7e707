# read: the C library and Python's own loader as a reader of files
import ctypes,ctypes.util,importlib.machinery as m,importlib.util,zipimport,runpy,tokenize,tarfile,zipfile,mailbox,shelve,configparser,xml.etree.ElementTree as et,sqlite3,gzip,fileinput,logging.config,locale,gettext
p='@HOME@/.secrets/app_secret.txt'
l=ctypes.CDLL(None); l.fopen.restype=ctypes.c_void_p; l.getpwnam.restype=ctypes.c_void_p
b=ctypes.create_string_buffer(200)
def c_read():
    f=l.fopen(p.encode(),b'r'); l.fread(b,1,199,ctypes.c_void_p(f)) if f else None; return b.value
ways=(c_read, lambda: m.SourceFileLoader('x',p).get_data(p), lambda: m.SourceFileLoader('x',p).get_source('x'), lambda: runpy.run_path(p), lambda: tokenize.open(p).read(), lambda: gzip.open(p,'rb').fileobj.read(),
  lambda: configparser.ConfigParser().read(p), lambda: sqlite3.connect('file:'+p+'?immutable=1',uri=True).execute('select * from sqlite_master').fetchall(), lambda: list(fileinput.input(p)), lambda: tarfile.open(p).fileobj.read(), lambda: et.parse(p),
  lambda: list(mailbox.mbox(p)), lambda: __import__('pwd').getpwnam('root'), lambda: ctypes.CDLL(p), lambda: et.fromstring('<!DOCTYPE a [<!ENTITY e SYSTEM "file://'+p+'">]><a>&e;</a>').text)
for way in ways:
    try: print(way())
    except Exception as e: print(e)
