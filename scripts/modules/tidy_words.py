"""The rule of scripts/tidy about names in C++: none has a word that docs/glossary.md retires."""
import re

from tidy_cpp import line_of
from tidy_tree import Finding

GLOSSARY = "docs/glossary.md"
RETIRED_HEADING = "| retired word | use instead |"
ROW = re.compile(r"\| `(\w+)` \| ([^|]*\w[^|]*) \|")
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
# The words of take_back_, TakeBack and TAKE_BACK2 are take and back.
WORD = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")


def retired_words(document):
    """The rows of the table: (line, retired word, what to use instead); no word where a row has another form."""
    in_table = False
    for number, line in enumerate(document.splitlines(), 1):
        in_table = line == RETIRED_HEADING or in_table and line.startswith("|")
        if in_table and line != RETIRED_HEADING and set(line) - set("|-"):
            row = ROW.fullmatch(line)
            yield number, row and row[1].lower(), row and row[2]


def words_of(name):
    """"_take_back_" for TakeBack and for take_back2: a word that it has stands between two underscores."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return "_" + "_".join(WORD.findall(spaced)).lower() + "_"


def check_words(tree):
    instead = {}
    for line, word, better in retired_words(tree.texts.get(GLOSSARY, "")):
        if word:
            instead[word] = better
        else:
            yield Finding(GLOSSARY, line, "retired-word", "a row is \"| `word` | what to use instead |\"")
    if not instead:
        return
    found = {}  # the retired words of each identifier
    for path, code in tree.code.items():
        for match in IDENTIFIER.finditer(code):
            name = match[0]
            if name not in found:
                words = words_of(name)
                found[name] = [word for word in instead if f"_{word}_" in words]
            for word in found[name]:
                yield Finding(path, line_of(code, match.start()), "retired-word",
                              f"{name}: {GLOSSARY} retires `{word}`; use instead: {instead[word]}")
