"""Runs the commands of docs/files.md in their order. nginx takes the place of Python's HTTP server."""
import os
import re
import subprocess
import unittest

from grid import SOURCE, GridTest, free_ports

PAGE = (SOURCE / "docs/files.md").read_text(encoding="utf-8")
SERVER = "python3 -m http.server"


class Page(GridTest):
    def serve(self, port):
        place = self.folder / "nginx"
        place.mkdir()
        temporary = "".join(f"{kind}_temp_path {place}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi",
                                                                             "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        (place / "conf").write_text(f"""daemon off; master_process off; pid {place}/pid; {user}
events {{}}
http {{ access_log {place}/access; {temporary}
       server {{ listen 127.0.0.1:{port}; root {self.folder}/files; }} }}
""", encoding="utf-8")
        self.start("/usr/sbin/nginx", "-c", place / "conf", "-e", place / "errors", stderr=subprocess.DEVNULL)

    def test_its_commands_do_what_it_says(self):
        blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
        self.assertGreater(len(blocks), 4, PAGE)
        [port] = free_ports(1)
        said = ""
        for block in blocks:
            block = block.replace("/tmp/dmm-", f"{self.folder}/").replace("8765", str(port))
            for line in re.findall(rf"^{SERVER}.* &$", block, re.M):
                self.serve(port)
                block = block.replace(line, f"until (echo > /dev/tcp/127.0.0.1/{port}) 2> /dev/null; do :; done")
            done = subprocess.run(["bash", "-e", "-c", block], env=self.environment, cwd=SOURCE, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=300, text=True)
            self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout}\n{done.stderr}")
            said += done.stdout
        for part in ("100000 numbers.txt", "588,895 bytes", "  alpha         file://", "numbers.txt: removed"):
            self.assertIn(part, said)
        self.assertEqual(said.count(" finished, exit status 0"), 8, said)
        self.assertIn("99999\n", said)
        self.assertIn("GET /numbers.txt", (self.folder / "nginx" / "access").read_text())


if __name__ == "__main__":
    unittest.main()
