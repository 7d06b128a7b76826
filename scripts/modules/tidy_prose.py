"""Rules of scripts/tidy about words: comments, documents and texts for people keep to docs/writing.md."""
import re

from tidy_cpp import comments_of, literals_of
from tidy_tree import Finding

SENTENCE_WORDS_MAX = 35
CELL_WORDS_MAX = 40
# Owner, borrower, home site, user: a manager or a site is never one of these words.
PRONOUNS = re.compile(r"\b(?:who|whoever|whom|whose|nobody|somebody|anybody|everybody)\b", re.I)
PHRASES = re.compile(r"\b(?:anew|so many|of which|one an?|what bec[ao]mes? of)\b", re.I)
BAD_EXAMPLES = "| instead of | write |"  # a table of docs/writing.md: its first column is there to be read and not done

KEYS_WITH_BLANKS = ("simulator/faults/sometimes.cpp",)  # its texts are also keys of JSON, which don't change


def blocks_of(document):
    """Paragraphs, list items and cells of tables as running text: (first line, text, whether it is a cell). Without
    code blocks, headings, and the column of bad examples."""
    block, first, is_code, is_bad = [], 0, False, False
    for number, line in enumerate(document.splitlines() + [""], 1):
        line = line.strip()
        is_fence = line.startswith("```")
        is_row = line.startswith("|")
        ends = not line or is_row or is_fence or line.startswith("#") or re.match(r"(?:[-*]|\d+\.)\s", line)
        if block and (ends or is_code):
            yield first, " ".join(block), False
            block = []
        is_code ^= is_fence
        is_bad = is_row and (is_bad or line == BAD_EXAMPLES)
        if is_code or is_fence or line.startswith("#"):
            continue
        if is_row:
            for cell in re.split(r"(?<!\\)\|", line)[1 + is_bad:-1]:
                yield number, cell.strip(), True
        elif line:
            first = first if block else number
            block.append(re.sub(r"^(?:[-*]|\d+\.)\s+", "", line))


def words_against(text):
    for match in PRONOUNS.finditer(text):
        yield f"'{match[0]}': name the actor, as docs/writing.md says"
    for match in PHRASES.finditer(text):
        yield f"'{match[0]}': docs/writing.md wants a plainer phrase"


def faults_of(text, is_cell=False):
    """What docs/writing.md has against a comment, a paragraph or a cell. Code between backticks is no prose."""
    text = re.sub(r"\[([^\]]*)\]\([^)\s]*\)", r"\1", re.sub(r"`[^`]*`", "x", text))
    yield from words_against(text)
    for sentence in re.split(r"[.!?][\"')*]*(?:\s|$)", text):
        if len(words := sentence.split()) > SENTENCE_WORDS_MAX:
            yield f"a sentence of {len(words)} words; at most {SENTENCE_WORDS_MAX}"
    if is_cell and len(words := text.split()) > CELL_WORDS_MAX:
        yield f"a cell of {len(words)} words; at most {CELL_WORDS_MAX}"


def check_prose(tree):
    for path, text in tree.texts.items():
        if not path.endswith((".cpp", ".hpp", ".md")):
            continue
        is_document = path.endswith(".md")
        for line, block, *is_cell in blocks_of(text) if is_document else comments_of(text):
            for fault in faults_of(block, *is_cell):
                yield Finding(path, line, "prose", fault)


def check_literals(tree):
    """Texts of the programs for people. A literal without a blank is a key or a word of the protocol."""
    for path, text in tree.texts.items():
        if not path.endswith((".cpp", ".hpp")) or path.startswith("tests/") or path in KEYS_WITH_BLANKS:
            continue
        for line, literal in literals_of(text):
            if " " in literal:
                for fault in words_against(" ".join(literal.split())):
                    yield Finding(path, line, "text", fault)
