# SPDX-License-Identifier: GPL-2.0
"""Registries: Debian's docker-registry, and one that wants tokens and sends what it is told to."""
import base64
import hashlib
import json
import os
import shutil
import threading
import urllib.parse

import port
from server import FAULTS, Server, answer, right

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.dsfs.image.layer.v1"
PROGRAMS = ("docker-registry", "skopeo")
CONF = """version: 0.1
log: {level: error}
storage: {filesystem: {rootdirectory: @work@/store}}
http: {addr: "127.0.0.1:@port@"}
"""


def sha256(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def missing():
    return [name for name in PROGRAMS if not shutil.which(name)]


class DockerRegistry(port.Program):
    """The real one, on a port of the loopback interface"""

    def __init__(self, work):
        os.makedirs(f"{work}/store")
        with open(f"{work}/log", "w") as log:
            super().__init__(work, CONF, "docker-registry", "serve", f"{work}/conf", stdout=log,
                             stderr=log)
        self.host = f"localhost:{self.port}"


class Registry:
    """A server of one artifact, sets/x, whose manifest is what a test wants it to be.

    login	user and password that a token costs; None: it is for anybody
    realm	where the registry says that tokens are; None: it wants none, or, with basic, the
            password itself
    lives	uses of a token
    store	a server that blobs are at, or None
    """

    def __init__(self, image, tls=None):
        self.image = image
        self.blob = f"/v2/sets/x/blobs/{sha256(image)}"
        self.server = Server({self.blob: image}, tls=tls)
        self.server.registry = self
        self.server.fault = "registry"
        self.host = f"localhost:{self.server.port}"
        self.manifest = self.make()
        self.login = self.realm = self.store = None
        self.basic = False
        self.lives = 1 << 30
        self.tokens = self.uses = 0
        self.lock = threading.Lock()

    def make(self, **changes):
        layer = {"mediaType": LAYER, "digest": sha256(self.image), "size": len(self.image)}
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": {}, "layers": [layer]}
        layer.update(changes.pop("layer", {}))
        manifest.update(changes)
        return json.dumps(manifest).encode()

    def url(self, more=":v1"):
        return f"oci://{self.host}/sets/x{more}"

    def challenge(self):
        if self.basic:
            return 'Basic realm="here"'
        return f'Bearer realm="{self.realm}",service="a, b",scope="repository:sets/x:pull"'

    def is_known(self, request):
        given = request.headers.get("authorization")
        if self.basic:
            return given == self.password()
        if not self.realm:
            return True
        with self.lock:
            self.uses += 1
            return given == f"Bearer token-{self.tokens}" and self.uses <= self.lives

    def password(self):
        return "Basic " + base64.b64encode(":".join(self.login).encode()).decode()

    def give_token(self, connection, request):
        asked = urllib.parse.parse_qs(request.query)
        if self.login and request.headers.get("authorization") != self.password():
            return answer(connection, 401, b"who?")
        if asked != {"service": ["a, b"], "scope": ["repository:sets/x:pull"]}:
            return answer(connection, 400, b"what?")
        with self.lock:
            self.tokens += 1
            self.uses = 0
            token = f"token-{self.tokens}"
        return answer(connection, 200, json.dumps({"token": token}).encode())

    def serve(self, connection, request):
        if request.path == "/token":
            return self.give_token(connection, request)
        if not self.is_known(request):
            return answer(connection, 401, b"{}", WWW_Authenticate=self.challenge())
        if "/manifests/" in request.path:
            return answer(connection, 200, self.manifest, Content_Type=MANIFEST)
        if self.store:
            return answer(connection, 307, Location=self.store + request.path)
        return right(self.server, connection, request)


FAULTS["registry"] = lambda server, *request: server.registry.serve(*request)
