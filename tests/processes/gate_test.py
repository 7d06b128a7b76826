"""The gate of a real site manager over tcp. Each role sends each message; those that the table of docs/protocol.md
section 3.3 doesn't allow are refused. A party without proof sends them all, and none is delivered.
"""
import unittest

from dmm_client import MESSAGES, Hello, Manager, Person, job_manager, resource_manager, site_manager
from dmm_keys import Keys
from dmm_messages import CLIENT, Party
from grid import LIMIT, SOURCE
from keys_test import Stage

SAID_TO_ASK = {"hello", "beat", "fault", "ask"}  # the messages of the test's own questions


def table():
    """By column, such as "J→S": the numbers of the messages that it allows."""
    text = (SOURCE / "docs/protocol.md").read_text(encoding="utf-8")
    section = text[text.index("### 3.3 "):]
    section = section[:section.index("\n## ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()
            if line.startswith("| ")]
    columns = rows[0][2:]
    allowed = {column: set() for column in columns}
    for row in rows[1:]:
        for column, cell in zip(columns, row[2:]):
            if cell == "✓":
                allowed[column] |= {int(number) for number in row[1].split(",")}
    return allowed


class Gate(Stage):
    def ask(self, verb):
        person = Person(self.network, site_manager("alpha"), f"ipc://{self.folder}/alpha.ipc")
        try:
            return person.ask(verb)
        finally:
            self.network.remove(person)

    def refused(self, reason):
        return self.ask("links")["refused"].get(reason, 0)

    def test_each_role_may_say_what_the_table_allows(self):
        allowed = table()
        self.assertGreater(len(allowed["J→S"]), 5)
        reader = self.keys_for("alpha", "person", "looker", "--right", "reader")
        for column, party, keys in (
                ("S→S", site_manager("beta"), Keys.read(self.folder_of["beta"])),
                ("J→S", job_manager("alpha", "ann"), self.keys_for("alpha", "user", "ann")),
                ("R→S", resource_manager("alpha", "nodes"), self.keys_for("alpha", "node", "nodes")),
                ("C→any", Party("client", CLIENT, "1"), reader)):
            caller = self.call(party, keys)
            self.network.until(lambda c=caller: c.peer_incarnation, LIMIT, f"the session of {party}")
            for number, message in MESSAGES.items():
                if message is Hello:
                    continue
                with self.subTest(column=column, message=message.__name__):
                    before = self.refused("not_allowed")
                    caller.send(message())
                    caller.barrier(LIMIT)
                    self.assertEqual(self.refused("not_allowed") - before, 0 if number in allowed[column] else 1)
            self.network.remove(caller)

    def test_nothing_of_what_is_not_proved_is_delivered(self):
        ann, nodes = job_manager("alpha", "ann"), resource_manager("alpha", "nodes")
        of_ann = self.keys_for("alpha", "user", "ann")
        revoked = self.keys_for("alpha", "user", "ann")
        self.site.change(revoked=[revoked.letters()])
        real = self.call(ann, of_ann)
        self.network.until(lambda: real.peer_incarnation, LIMIT, "the session of the real one")
        for what, party, keys in (
                ("no certificate", ann, Keys()), ("of an unknown site", ann, self.keys_for("gamma", "user", "ann")),
                ("copied", ann, Keys(certificate=of_ann.certificate)), ("revoked", ann, revoked),
                ("of another role", nodes, of_ann), ("of another name", job_manager("alpha", "bob"), of_ann),
                ("of a neighbour's user", ann, self.keys_for("beta", "user", "ann")),
                ("of a user, as a neighbour", site_manager("beta"), of_ann)):
            with self.subTest(what=what):
                thief = Manager(self.network, party, site_manager("alpha"), self.endpoint, keys=keys)
                self.network.until(lambda t=thief: t.faults, LIMIT, "the refusal of its Hello")
                before, refused = self.received(), self.refused("not_proved")
                thief.peer_incarnation, thief.incarnation = real.peer_incarnation, real.incarnation
                said = [message for message in MESSAGES.values() if message is not Hello]
                for message in said:
                    thief.send(message())
                self.network.until(lambda count=refused + len(said): self.refused("not_proved") >= count, LIMIT,
                                   "the refusal of all")
                self.assertEqual(self.received(), before)
                self.network.remove(thief)

    def received(self):
        """How many messages of each type were delivered, without those of the questions for these numbers."""
        return {name: count for name, count in self.ask("messages")["received"].items() if name not in SAID_TO_ASK}


if __name__ == "__main__":
    unittest.main()
