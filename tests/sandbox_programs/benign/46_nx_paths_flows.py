g = nx.DiGraph()
for r in records:
    for to in r['recipients']:
        if to != r['sender']: g.add_edge(r['sender'].strip(), to.strip(), weight=g.get_edge_data(r['sender'].strip(), to.strip(), {'weight': 0})['weight'] + 1)
print(g.number_of_nodes(), g.number_of_edges(), nx.is_strongly_connected(g))
a, b = sorted(g)[0], sorted(g)[-1]
print(a, b, nx.shortest_path_length(g, a, b), nx.dijkstra_path_length(g, a, b))
print(sorted(nx.descendants(g, a))[:3], nx.diameter(g.to_undirected()))
und = nx.Graph(g)
print([round(v, 3) for _, v in sorted(nx.degree_centrality(und).items())][:3], round(nx.average_clustering(und), 3), len(nx.minimum_spanning_tree(und).edges))
f = nx.DiGraph([('s', 'a', {'capacity': 3}), ('a', 't', {'capacity': 2}), ('s', 't', {'capacity': 1})])
print(nx.maximum_flow_value(f, 's', 't'), list(nx.topological_sort(f)), nx.has_path(f, 't', 's'))
print(sorted(map(sorted, nx.simple_cycles(nx.DiGraph([(1, 2), (2, 1), (2, 3)])))), list(nx.bfs_tree(f, 's')))
