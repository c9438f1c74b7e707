def llm_query(prompt):
    return 'echo:' + prompt
res = []
for r in records[:3]:
    res.append(llm_query(f"Classify: {r['subject']}"))
print(res)
