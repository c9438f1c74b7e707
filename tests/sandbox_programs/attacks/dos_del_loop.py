# dos: an object that never lets itself be deleted, an error that never lets itself be shown
class Never(Exception):
    def __str__(self):
        while True: pass
    __repr__=__del__=__str__
raise Never
