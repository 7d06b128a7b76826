"""The rule of scripts/tidy about dead code: a name that a header declares is used somewhere, be it by a test."""
import collections
import re

from tidy_cpp import line_of
from tidy_tree import Finding

# A declaration on a line of its own: of a function, a member or a constant.
DECLARED = re.compile(r"^ *(?:\[\[\w+\]\] )?(?:(?:static|inline|constexpr|const|mutable|explicit|friend|extern) )*"
                      r"(?!return|using|throw|delete|co_return|goto|case|else|new\b)[\w:]+(?:<[^;={}()]*>)?(?: const)?"
                      r"[ *&]+([A-Za-z_]\w*)(?=\(|;| = |\{|\[|, \w+ = )", re.M)
DEFINED = re.compile(r"^[A-Za-z][^\n=;]*?(?:\b\w+::)?\b(~?\w+)\(", re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
# Used without their names.
BY_PLACE = {"major": "compared by <=>", "minor": "compared by <=>",
            "process_and_close_socket": "called by cpp-httplib"}


def check_dead(tree):
    uses, definitions = collections.Counter(), collections.Counter()
    for path, code in tree.code.items():
        uses.update(WORD.findall(code))
        if path.endswith(".cpp"):
            definitions.update(DEFINED.findall(code))
    for path, code in tree.code.items():
        if not path.endswith(".hpp") or path.startswith("tests/"):
            continue
        for match in DECLARED.finditer(code):
            name = match[1]
            if name not in BY_PLACE and uses[name] <= 1 + definitions[name]:
                yield Finding(path, line_of(code, match.start(1)), "dead", f"{name} is used nowhere")
