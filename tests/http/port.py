# SPDX-License-Identifier: GPL-2.0
"""A program that serves on a port of the loopback interface, which it has to be told."""
import socket
import subprocess
import time


def free():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Program:
    """Runs until stop(), by a configuration in which @port@ and the like are put in."""

    def __init__(self, work, conf, *command, names=(), **options):
        self.port = free()
        for name, text in ("work", work), ("port", self.port), *names:
            conf = conf.replace(f"@{name}@", str(text))
        with open(f"{work}/conf", "w") as file:
            file.write(conf)
        self.process = subprocess.Popen(command, **options)
        self.wait()

    def wait(self):
        """Until the program answers there; one that has ended does not."""
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise
                # Else the asking would take a processor from it.
                time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait()
