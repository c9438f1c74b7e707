# dos: answer() with 200 MB
answer('F'*200_000_000)
