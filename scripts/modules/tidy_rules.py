"""All rules of scripts/tidy."""
from tidy_architecture import check_architecture
from tidy_code import check_determinism, check_form, check_lengths
from tidy_dead import check_dead
from tidy_findings import check_findings
from tidy_includes import check_circles, check_includes
from tidy_links import check_links, check_paths
from tidy_prose import check_literals, check_prose
from tidy_protocol import check_mutants, check_protocol
from tidy_tables import check_folders, check_ledgers
from tidy_titles import check_titles
from tidy_tree import Tree
from tidy_words import check_words

RULES = (check_includes, check_circles, check_determinism, check_lengths, check_form, check_prose, check_literals,
         check_architecture, check_protocol, check_mutants, check_findings, check_titles, check_links, check_paths,
         check_dead, check_ledgers, check_folders, check_words)


def check(root, rules=RULES):
    tree = Tree(root)
    return tree, sorted({finding for rule in rules for finding in rule(tree)})
