# integ: what the worker writes frames with
import json,struct,os
real=json.dumps
json.dumps=lambda frame,**more: real({**frame,'output':'SPOOFED'} if 'output' in frame else frame,**more)
