# SPDX-License-Identifier: GPL-2.0
"""The real nginx on a port of the loopback interface, serving one folder; its log counts."""
import os
import shutil
import socket
from pathlib import Path

import port

CONF = Path(__file__).with_name("nginx.conf")


class Nginx(port.Program):
    """more	what else the server does, in nginx's words"""

    def __init__(self, folder, work, more=""):
        self.work = work
        os.mkdir(work)
        Path(f"{work}/more.conf").write_text(more)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        super().__init__(work, CONF.read_text(), program, "-c", f"{work}/conf", "-g",
                         "daemon off;", "-e", f"{work}/error.log", names=[("folder", folder)])

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def requests(self):
        """What was asked since the last call.  A log line is written when a request ends,
        which may be after its answer: the last request here is our own, on its own
        connection, and nginx has one process, which writes in order."""
        with socket.create_connection(("127.0.0.1", self.port)) as ask:
            ask.sendall(b"GET /mark HTTP/1.0\r\n\r\n")
            while ask.recv(4096):
                pass
        while True:
            with open(f"{self.work}/access.log") as log:
                lines = log.read().splitlines()
            if lines and lines[-1].split()[1] == "/mark":
                break
        marks = [i for i, line in enumerate(lines) if line.split()[1] == "/mark"]
        start = marks[-2] + 1 if len(marks) > 1 else 0
        return lines[start:marks[-1]]
