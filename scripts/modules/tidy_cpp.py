"""Reads C++ without a compiler: comments, strings, functions and variables, as the rules of scripts/tidy need them."""
import collections
import re

Scope = collections.namedtuple("Scope", "kind start parentheses name first_line")

TOKENS = re.compile(
    r'(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)'
    r'|(?P<raw>(?:u8|[uUL])?\bR"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<number>\b\d[\w\']*)'
    r'|(?P<string>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return TOKENS.sub(lambda m: blank(m[0]) if m["comment"] else m[0], text)


def code_of(text):
    """The text with comments and the insides of strings blanked; every line and column stays where it is."""
    def replace(m):
        if m["comment"]:
            return blank(m[0])
        if m["raw"] or m["string"]:
            return m[0][0] + blank(m[0][1:-1]) + m[0][-1]
        return m[0]
    return TOKENS.sub(replace, text)


def literals_of(text):
    """String literals, each with its first line: parts that the compiler puts together are one literal, and each escape
    is a blank."""
    parts, first, end = [], 0, 0
    for m in TOKENS.finditer(DIRECTIVE.sub(lambda m: blank(m[0]), text)):
        is_string = m["raw"] or (m["string"] or "").startswith('"')
        if m["comment"] or not is_string and not m["number"] and not m["string"]:
            continue
        if parts and (not is_string or without_comments(text[end:m.start()]).strip()):
            yield first, "".join(parts)
            parts = []
        if is_string:
            first = first if parts else line_of(text, m.start())
            parts.append(m[0][m[0].index("(") + 1:m[0].rindex(")")] if m["raw"] else re.sub(r"\\.", " ", m[0][1:-1]))
        end = m.end()
    if parts:
        yield first, "".join(parts)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def strip_balanced(text, opening, closing):
    """The text without anything inside a pair of brackets, and without the brackets."""
    kept, depth = [], 0
    for character in text:
        if character == opening:
            depth += 1
        elif character == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return "".join(kept)


ACCESS = re.compile(r"^(?:\s*(?:public|private|protected)\s*:(?!:))*\s*")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)")


def without_templates(header):
    while match := re.search(r"\btemplate\s*<", header):
        depth, end = 1, match.end()
        while depth and end < len(header):
            depth += {"<": 1, ">": -1}.get(header[end], 0)
            end += 1
        header = header[:match.start()] + header[end:]
    return header


def kind_of_scope(header, parentheses, enclosing):
    """What a brace opens: namespace, type, function, or other (initialisers, and all that is inside functions)."""
    if parentheses or enclosing not in ("namespace", "type"):
        return "other"
    header = without_templates(OPERATOR.sub("operator_", header))
    flat = strip_balanced(header, "(", ")")
    if re.search(r"\bnamespace\b", flat) or re.search(r'\bextern\s*"[^"]*"\s*$', header):
        return "namespace"
    function_end = re.search(r"\)\s*(?:const|noexcept|override|final|\s)*$", header)
    if re.match(r"\s*(?:\w+\s+)*?(?:class|struct|union|enum)\b", flat) and not function_end:
        return "type"
    if ")" in header and (not re.search(r"(?<![<>=!])=", flat) or re.search(r"=\s*\[", flat)):
        return "function"
    return "other"


NOT_A_VARIABLE = re.compile(r"\b(?:const|constexpr|using|typedef|namespace|class|struct|enum|union|friend|template"
                            r"|concept|return|requires|operator|static_assert|goto)\b")
VARIABLE = re.compile(r"^(?:(?:inline|static|extern|thread_local|constinit)\s+)*(?:unsigned\s+|long\s+)*"
                      r"[\w:]+(?:\s+|\s*[*&]+\s*)\w+(?:\[[^\]]*\])?$")


def is_mutable_global(statement):
    declared = strip_balanced(re.split(r"(?<![<>=!])=(?!=)", statement)[0], "<", ">").strip()
    return bool(VARIABLE.match(declared)) and not NOT_A_VARIABLE.search(declared)


def scan(code):
    """(functions, globals) of a C++ file: (name, first line, last line) and the lines of mutable globals."""
    code = DIRECTIVE.sub(lambda m: blank(m[0]), code)
    functions, variables, stack = [], [], []
    start = parentheses = 0
    for match in re.finditer(r"[{}();]", code):
        position, mark = match.start(), match[0]
        if mark in "()":
            parentheses = max(0, parentheses + (1 if mark == "(" else -1))
            continue
        begin = start + len(ACCESS.match(code[start:position])[0])
        header = code[begin:position]
        at_namespace = all(scope.kind == "namespace" for scope in stack)
        if mark == ";" and not parentheses:
            if at_namespace and is_mutable_global(header):
                variables.append(line_of(code, begin))
            start = position + 1
        elif mark == "{":
            kind = kind_of_scope(header, parentheses, stack[-1].kind if stack else "namespace")
            if at_namespace and kind == "other" and is_mutable_global(header):
                variables.append(line_of(code, begin))
            name = re.search(r"([\w:~]+|\boperator\W+)\s*\(", header)
            stack.append(Scope(kind, start, parentheses, name[1] if name else "?", line_of(code, begin)))
            start, parentheses = position + 1, 0
        elif mark == "}" and stack:
            scope = stack.pop()
            parentheses = scope.parentheses
            if scope.kind == "function":
                functions.append((scope.name, scope.first_line, line_of(code, position)))
            continues = parentheses or re.match(r"\s*[,{]", code[position + 1:position + 200])
            start = scope.start if continues and scope.kind in ("function", "other") else position + 1
    return functions, variables


def mutable_statics(code):
    """Lines with `static` or `thread_local` variables that are not constant; static functions pass."""
    for match in re.finditer(r"\b(?:static|thread_local)\b", code):
        before = re.split(r"[;{}\n]", code[:match.start()][-200:])[-1]
        after = strip_balanced(code[match.end():match.end() + 400], "<", ">")
        end = re.search(r"[;{=(]", after)
        declared = before + (after[:end.start()] if end else after)
        is_function = bool(end) and end[0] == "("
        is_constant = re.search(r"\bconstexpr\b", declared) or re.search(r"\bconst\b[^*]*$", declared)
        if not is_function and not is_constant and "operator" not in declared:
            yield line_of(code, match.start())


def comments_of(text):
    """Blocks of comments as running text, each with the number of its first line."""
    block, first = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.search(r"(?:^|\s)//[/<]*(?!/) ?(.*)$", line)
        alone = found and line.lstrip().startswith("//")
        if block and (not alone or re.match(r"\s*(?:-|\d+\.)\s", found[1])):
            yield first, " ".join(block)
            block = []
        if found and not set(found[1]) <= {"-", " "}:
            if not alone or found[1].startswith("--"):  # beside code, or the title of a section
                yield number, found[1]
                continue
            first = first if block else number
            block.append(found[1])
