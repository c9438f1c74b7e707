# dos: memory full of small strings, never let go
x=[]
while True:
    try: x.append(str(len(x))*20)
    except MemoryError: pass
