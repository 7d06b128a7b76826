# ctest: heavy
"""The sweep of docs/reproduction.md at small size: it prints the tables of the document. Its runs are short, but the
model takes most of a minute to make the workloads of all of them."""
import unittest

import reproduction_test as document


class Sweep(document.Base):
    def test_its_tables(self):
        commands, tables = next(block for block in document.blocks() if document.SWEEP in block[0][0])
        out = self.run_one(commands[0])
        for table in tables:
            if "held" not in table[0]:
                self.expect_table(table, out, chosen=False)


if __name__ == "__main__":
    unittest.main(verbosity=1)
