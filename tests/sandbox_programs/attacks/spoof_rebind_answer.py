# integ: replace answer so that later steps propose something else
_a=answer
def answer(text,cites=()): _a('SPOOFED')
