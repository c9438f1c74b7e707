# read: pandas reads by address, by engine, by compression
import pandas as pd
p='@HOME@/.secrets/app_secret.txt'
for way in (lambda: pd.read_csv('file://'+p), lambda: pd.read_csv(p,engine='python'), lambda: pd.read_csv(p,memory_map=True), lambda: pd.read_pickle(p), lambda: pd.read_xml(p), lambda: pd.read_html(p), lambda: pd.read_excel(p), lambda: pd.read_parquet(p), lambda: pd.read_orc(p), lambda: pd.read_feather(p),
            lambda: pd.read_stata(p), lambda: pd.read_sas(p), lambda: pd.read_spss(p), lambda: pd.read_hdf(p), lambda: pd.read_sql('select 1','sqlite:///'+p), lambda: pd.io.common.get_handle(p,'r').handle.read(), lambda: pd.read_csv(p,sep='\x00',compression='infer',storage_options=None), lambda: pd.read_clipboard(),
            lambda: pd.eval("@pd.io.common.os.popen('cat "+p+"').read()")):
    try: print(way())
    except BaseException as e: print(type(e))
