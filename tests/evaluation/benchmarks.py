"""Small files in the published shapes of the benchmarks."""

import json
import zipfile
from pathlib import Path
from typing import Any

_NAME = "2024-公司-年报.txt".encode()
"""Of a file in the archive; written over another name, since Python would mark it as UTF-8."""


def corpusqa_row(number: int, **changed: Any) -> dict[str, Any]:
    """One row, with some of its fields changed."""
    documents = (
        "# Document 1: Alder\nAlder sold 4,100 houses.\n# Document 9: not a document\n\n"
        "# Document 2: Birch\nBirch sold 5,000 houses.\n\n# Document 3:\nCedar sold 12 houses.\n\n"
    )
    question = f"Question {number}: which counties sold more than 4,000?"
    return {
        "id": f"q{number}",
        "domain": "housing" if number % 2 else "finance",
        "question": question,
        "answer": ["Alder", "Birch"],
        "doc_files": ["a/alder.txt", "b/birch.txt", "c/cedar.txt"],
        "prompt": [
            {"role": "system", "content": "You answer."},
            {"role": "user", "content": f"Read.\n\n{documents}# Question:\n{question}\nSay: The answer is: ..."},
        ],
    } | changed


def corpusqa(file: Path, *rows: dict[str, Any] | str) -> Path:
    """A file of rows; a text is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def loong(folder: Path) -> Path:
    """A folder with loong.jsonl and doc.zip, whose names are UTF-8 without the flag."""
    common = {"prompt_template": "{docs}\n{instruction}\n{question}", "language": "zh"}
    rows = [
        {"id": 1, "set": 1, "level": 1, "type": "paper", "instruction": "Say which.", "question": "Who cites whom?"},
        {"id": 2, "set": 2, "level": 4, "type": "financial", "instruction": "", "question": "Which grew?"},
        {"id": 3, "set": 3, "level": 3, "type": "legal", "instruction": "Sort them.", "question": ""},
    ]
    documents = [["one.md", "two.md"], ["公司"], ["判决1", "判决2"]]
    answers = [{"cites": [["one", "two"]]}, "公司", {"theft": ["判决1"], "fraud": ["判决2"]}]
    full = [
        row | common | {"doc": doc, "answer": said} for row, doc, said in zip(rows, documents, answers, strict=True)
    ]
    corpusqa(folder / "loong.jsonl", *full, {**full[0], "id": 4, "doc": ["none.md"]}, "{broken")
    with zipfile.ZipFile(folder / "doc.zip", "w") as archive:
        archive.writestr("doc/paper/one.md", "One cites two.")
        archive.writestr("doc/paper/two.md", "Two cites nobody.")
        archive.writestr(f"doc/financial/{'x' * len(_NAME)}", "公司 grew by 12 per cent.")
        judgments = {
            "判决1": {"content": "He stole.", "result": "Theft."},
            "判决2": {"content": "He lied.", "result": ""},
        }
        archive.writestr("doc/legal/legal.json", json.dumps(judgments, ensure_ascii=False))
    packed = (folder / "doc.zip").read_bytes()
    (folder / "doc.zip").write_bytes(packed.replace(b"x" * len(_NAME), _NAME))
    return folder
