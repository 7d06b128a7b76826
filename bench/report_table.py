"""The table of bench/report.py: rows in columns of fixed width, and as data; which of repeats counts."""

COLUMNS = (("", 48), ("DMM", 22), ("beside it", 25), ("ratio", 5), ("aim", 7), ("met", 3))


class Table:
    """The rows so far, in columns of fixed width; and as data."""

    def __init__(self):
        self.rows = []
        self.section = ""
        print()
        self._print(name for name, _ in COLUMNS)
        self._print("-" * width for _, width in COLUMNS)

    def _print(self, cells):
        print("  ".join(f"{cell:<{width}}" for cell, (_, width) in zip(cells, COLUMNS)).rstrip(), flush=True)

    def heading(self, text):
        self.section = text
        print(f"\n{text}", flush=True)

    def row(self, name, value, unit, beside=None, beside_name="", at_most=None, at_least=None, ratio=None, note=""):
        """`at_most` and `at_least` bound the ratio, or the value if there is nothing to compare with."""
        if ratio is None and beside:
            ratio = value / beside
        judged = ratio if ratio is not None else value
        met = None
        if at_most is not None:
            met = judged <= at_most
        if at_least is not None:
            met = judged >= at_least
        aim = "" if met is None else f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}"
        self._print(("  " + name, shown(value, unit) + note, f"{shown(beside, unit)} {beside_name}" if beside else "",
                     "" if ratio is None else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}", aim,
                     "" if met is None else "yes" if met else "NO"))
        self.rows.append({"section": self.section, "name": name, "value": value, "unit": unit, "note": note.strip(" ,"),
                          "beside": beside, "beside_name": beside_name, "ratio": ratio, "aim": aim, "met": met})


def shown(value, unit):
    if unit == "/s":
        for size, prefix in ((1e6, "M"), (1e4, "k")):
            if value >= size:
                return f"{value / (1e6 if prefix == 'M' else 1e3):.{2 if prefix == 'M' else 1}f} {prefix}/s"
        return f"{value:.0f}/s"
    digits = 0 if abs(value) >= 100 or value == int(value) else 1
    return f"{value:.{digits}f} {unit}".rstrip()


def best(results, key):
    """Of repeats that alternate with their comparison, the one that other work on the machine disturbed least."""
    values = [result[key] for result in results]
    return max(values) if key.endswith("per_second") else min(values)
