"""The paper's evaluation, runnable: tasks of sample corpora and benchmarks, every method on each, judged and counted.

`samples`, `corpusqa` and `loong` read tasks; `carrying` runs and judges them, one line of results each; `counting` and
`summing_up` make the tables. Data sets are read from local files; none comes with the product, none is fetched.
"""
