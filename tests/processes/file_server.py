"""An HTTP server with the faults that a test wants: a path for each fault, and ranges where the path supports them."""
import contextlib
import http.server
import threading
import time

DATA = bytes(range(256)) * 4096  # a mebibyte
LARGE = DATA * 40


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):  # noqa: N802
        self.server.asked.append((self.path, self.headers.get("Range")))
        way = getattr(self, "do_" + self.path.lstrip("/").split("?")[0].replace("-", "_"), None)
        if way is None:
            self.send_error(404)
        else:
            with contextlib.suppress(ConnectionError):  # a cancelled job closes the connection
                way()

    def tries(self):
        return sum(path == self.path for path, _ in self.server.asked)

    def first_byte(self):
        said = self.headers.get("Range")
        return int(said.split("=")[1].rstrip("-")) if said else 0

    def answer(self, data, length=None, start=0):
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{start + len(data) - 1}/{start + len(data)}")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def do_data(self):
        self.answer(DATA[self.first_byte():], start=self.first_byte())

    def do_gated(self):
        """The whole file, when the test opens the gate."""
        self.server.gate.wait(60)
        self.answer(LARGE[self.first_byte():], start=self.first_byte())

    def do_breaks(self):
        """Every answer ends after a quarter of the file; a further request continues from there."""
        start = self.first_byte()
        self.answer(DATA[start:start + len(DATA) // 4], len(DATA) - start, start)

    def do_breaks_once(self):
        """Without ranges."""
        self.answer(DATA[:1000] if self.tries() == 1 else DATA, len(DATA))

    def do_changes(self):
        """The file changes between the first request and the next."""
        start = self.first_byte()
        if self.tries() == 1:
            return self.answer(b"x" * 1000, len(DATA))
        return self.answer(DATA[start:], start=start)

    def do_busy_once(self):
        return self.send_error(503) if self.tries() == 1 else self.answer(DATA)

    def do_longer(self):
        self.answer(DATA + b"x")

    def do_shorter(self):
        self.answer(DATA[:-1])

    def do_promises_more(self):
        self.answer(DATA if self.first_byte() == 0 else b"", len(DATA) + 1 - self.first_byte(), self.first_byte())

    def do_stalls(self):
        self.send_response(200)
        self.send_header("Content-Length", "10")
        self.end_headers()
        self.server.over.wait(60)
        self.close_connection = True

    def do_trickles(self):
        """A slow server: a byte at a time, until the test is over."""
        self.send_response(200)
        self.send_header("Content-Length", str(10 ** 9))
        self.end_headers()
        while not self.server.over.is_set():
            self.wfile.write(b"x")
            time.sleep(0.05)
        self.close_connection = True

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_moved(self):
        self.redirect("/data")

    def do_loops(self):
        self.redirect("/loops")

    def do_to_file(self):
        self.redirect("file:///etc/passwd")


class FileServer:
    """Serves on a port of the loopback until stopped; `asked` has each path and its range."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.asked = self.server.asked = []
        self.server.over = threading.Event()
        self.gate = self.server.gate = threading.Event()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{path}"

    def stop(self):
        self.server.over.set()
        self.gate.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
