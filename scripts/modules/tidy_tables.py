"""Rules of scripts/tidy about tables and lists of documents that repeat what the code has: the ledgers' tables in
docs/operations.md, and a paragraph for each folder in docs/architecture.md."""
import posixpath
import re

from tidy_tree import Finding

OPERATIONS, ARCHITECTURE = "docs/operations.md", "docs/architecture.md"
LEDGERS = (("site manager", "sitemgr/records.hpp"), ("job manager", "jobmgr/records.hpp"),
           ("resource manager", "resmgr/records.hpp"))
TABLE = re.compile(r'string_view table = "(\w+)"')


def check_ledgers(tree):
    """The row of a manager names the tables of its ledger, and no others."""
    document = tree.texts.get(OPERATIONS, "")
    for manager, path in LEDGERS:
        if path not in tree.texts or not document:
            continue
        row = re.search(rf"^\| {manager} \| (`[^\n]*)\|$", document, re.M)
        told = set(re.findall(r"`(\w+)`", row[1])) if row else set()
        if odd := told ^ set(TABLE.findall(tree.texts[path])):
            line = document.count("\n", 0, row.start()) + 1 if row else 1
            yield Finding(OPERATIONS, line, "table", f"the tables of {path} aren't those of this row: {sorted(odd)}")


def check_folders(tree):
    """Each folder with code has a paragraph, and each paragraph a folder."""
    if ARCHITECTURE not in tree.texts:
        return
    document = tree.texts[ARCHITECTURE]
    told = set(re.findall(r"\*\*`([\w/]+)/`\*\*", document)) | set(re.findall(r"`(tests/\w+)/`", document))
    there = {posixpath.dirname(path) for path in tree.texts
             if tree.language(path) in ("c++", "python", "shell") or path.endswith((".pml", ".txt"))} - {"", ".ci"}
    for folder in sorted(there - told):
        yield Finding(ARCHITECTURE, 1, "folder", f"{folder}/ has no paragraph")
    for folder in sorted(told - there):
        if not (tree.root / folder).is_dir():
            line = document.count("\n", 0, document.index(f"`{folder}/`")) + 1
            yield Finding(ARCHITECTURE, line, "folder", f"there is no {folder}/")
