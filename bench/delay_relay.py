"""A relay between TCP clients and a server. It keeps bytes for some time before it passes them on, as a long distance
does. It reads on meanwhile, up to a bound: as much as a TCP window would hold on such a distance.
"""
import collections
import socket
import threading
import time

PIECE = 1 << 18
HELD_MAX = 64 << 20


class DelayRelay:
    def __init__(self, port, seconds):
        self.to, self.seconds = port, seconds
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.to))
            for one, other in ((client, server), (server, client)):
                Direction(one, other, self.seconds)


class Direction:
    """One direction of a connection; reading and writing have a thread each."""

    def __init__(self, source, sink, seconds):
        self.source, self.sink, self.seconds = source, sink, seconds
        self.held, self.bytes, self.changed = collections.deque(), 0, threading.Condition()
        for work in (self._read, self._write):
            threading.Thread(target=work, daemon=True).start()

    def _read(self):
        while True:
            try:
                data = self.source.recv(PIECE)
            except OSError:
                data = b""
            with self.changed:
                self.changed.wait_for(lambda: self.bytes < HELD_MAX)
                self.held.append((time.monotonic() + self.seconds, data))
                self.bytes += len(data)
                self.changed.notify_all()
            if not data:
                return

    def _write(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.held)
                due, data = self.held.popleft()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if not data:
                    return self.sink.shutdown(socket.SHUT_WR)
                self.sink.sendall(data)
            except OSError:
                return None
            with self.changed:
                self.bytes -= len(data)
                self.changed.notify_all()
