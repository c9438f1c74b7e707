# read: networkx reads graphs from files and calls the programs that draw them
import networkx as nx
p='@HOME@/.secrets/app_secret.txt'
for name in ('read_gml','read_graphml','read_edgelist','read_adjlist','read_gexf','read_leda','read_pajek','read_graph6','read_sparse6','read_multiline_adjlist','read_weighted_edgelist'):
    try: print(list(getattr(nx,name)(p)))
    except BaseException as e: print(str(e)[:50])
for name in ('to_agraph','to_pydot','to_latex'):
    try: getattr(nx.nx_agraph if 'agraph' in name else nx.nx_pydot if 'pydot' in name else nx,name)(nx.path_graph(2))
    except BaseException: pass
