# net: urllib GET
import urllib.request
print(urllib.request.urlopen('http://127.0.0.1:@PORT@/x',timeout=2).read())
