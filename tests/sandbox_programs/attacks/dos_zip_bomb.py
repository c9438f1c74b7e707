# dos: one kilobyte that unpacks to gigabytes
import zlib,io,gzip
b=zlib.compress(bytes(1<<26),9)
d=zlib.decompressobj(); big=[]
while True: big.append(zlib.decompress(b))
