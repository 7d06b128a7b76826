"""Keys of a party over tcp (docs/protocol.md section 3.2), for the client of the tests."""
import base64
import ctypes
import json
import os
import pathlib
import time

import zmq
from zmq.utils import z85


class Keys:
    """What a party proves its name with over tcp (section 3.2): a pair of CURVE keys, and a certificate."""

    def __init__(self, secret=None, certificate=""):
        made = zmq.curve_keypair()[1] if secret is None else z85.encode(key_bytes(secret))
        self.secret, self.public, self.certificate = made, zmq.curve_public(made), certificate

    @staticmethod
    def read(folder):
        """The keys that `dmm certify` made."""
        kept = json.loads((pathlib.Path(folder) / "keys/link.json").read_text())
        return Keys(kept["secret"], kept["certificate"])

    def letters(self):
        """The public key as endpoints and certificates write it."""
        return base64.urlsafe_b64encode(z85.decode(self.public)).decode().rstrip("=")

    def possession(self, party, site_key):
        """Proves to a site that this party has the secret of the key (section 8.4c): the party's name under a seal."""
        sodium = ctypes.CDLL("libsodium.so.23")
        to, own, nonce = ctypes.create_string_buffer(32), z85.decode(self.public), os.urandom(24)
        assert sodium.crypto_sign_ed25519_pk_to_curve25519(to, key_bytes(site_key)) == 0
        box = ctypes.create_string_buffer(len(party) + 16)
        assert sodium.crypto_box_easy(box, party.encode(), ctypes.c_ulonglong(len(party)), nonce, to,
                                      z85.decode(self.secret)) == 0
        return b"\xc1\x01" + to.raw + own + nonce + box.raw

    def prove(self, socket, server_key):
        """From now on the socket dials with CURVE, and the far end must have this key."""
        socket.curve_serverkey = server_key
        socket.curve_publickey, socket.curve_secretkey = self.public, self.secret


class Signer:
    """A site that certifies keys itself, also for times that `dmm certify` doesn't offer."""
    ROLES = ("sitemgr", "jobmgr", "resmgr", "client")

    def __init__(self, folder):
        """The directory of the site's manager, which has the secret of the site key."""
        self.sodium = ctypes.CDLL("libsodium.so.23")
        self.secret = ctypes.create_string_buffer(64)
        seed = key_bytes(json.loads((pathlib.Path(folder) / "keys/site.json").read_text())["secret"])
        public = ctypes.create_string_buffer(32)
        assert self.sodium.crypto_sign_seed_keypair(public, self.secret, seed) == 0

    def certify(self, keys, holder, right="none", begin=-60, end=3600):
        """Gives the keys a certificate of this holder that is valid from and until so many seconds from now; returns
        the keys."""
        now = int(time.time())
        text = json.dumps({"kind": "dmm certificate 1", "role": self.ROLES[holder.role], "site": holder.site,
                           "name": holder.name, "link": keys.letters(), "right": right, "from": now + begin,
                           "until": now + end}).encode()
        signature = ctypes.create_string_buffer(64)
        assert self.sodium.crypto_sign_detached(signature, None, text, ctypes.c_ulonglong(len(text)),
                                                self.secret) == 0
        keys.certificate = base64.urlsafe_b64encode(signature.raw + text).decode().rstrip("=")
        return keys


def key_bytes(letters):
    return base64.urlsafe_b64decode(letters + "=")


def key_of_endpoint(endpoint):
    """An endpoint as ZeroMQ takes it, and the key of its far end as ZeroMQ writes keys; None where it names none."""
    place, _, key = endpoint.partition("#")
    return place, z85.encode(key_bytes(key)) if key else None
