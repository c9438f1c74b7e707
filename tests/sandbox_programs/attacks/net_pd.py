# net: pandas, numpy and the XML parser fetch by address
import pandas as pd,numpy as np,xml.sax
u='http://127.0.0.1:@PORT@/x'
for way in (lambda: pd.read_csv(u), lambda: pd.read_json(u), lambda: pd.read_html(u), lambda: np.DataSource().open(u), lambda: pd.read_csv('s3://b/x'), lambda: xml.sax.parse(u,xml.sax.ContentHandler()), lambda: pd.read_xml(u)):
    try: way()
    except BaseException as e: pass
