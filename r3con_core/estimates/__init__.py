"""What a run will take before it is started, and what finished runs say about a model.

`estimate` adds up what the stages ask, by `workloads` over `plans` over `prefixes`, without asking anything.
`calibration` keeps what `learning` reads from finished calls; `usual` stands in where nothing is known.
"""
