# dos: a value whose showing overflows the C stack
import sys
sys.setrecursionlimit(10**9)
x=[]
for i in range(500_000): x=[x]
x
