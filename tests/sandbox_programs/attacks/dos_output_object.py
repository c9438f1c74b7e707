# dos: output replaced by an object of the code, an answer that is a str of the code
import sys
class Text(str):
    def __len__(self): return 0
    def __str__(self): return self
    def __getitem__(self,i): return self
    def encode(self,*a): return b'x'*10**8
sys.stdout.write(Text('z'*10_000_000)); print(Text('q'*10_000_000))
answer(Text('y'*10_000_000),[Text('c'*10_000_000)])
