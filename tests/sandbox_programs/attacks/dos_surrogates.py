# dos: output, error, answer that are no text
print('\ud800'*10); answer('\udfff',cites=['\ud800'])
raise ValueError('\ud800')
