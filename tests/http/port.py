# SPDX-License-Identifier: GPL-2.0
"""A port of the loopback interface for a program that has to be told one."""
import socket


def free():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait(port, process):
    """Until the program answers there; one that has ended does not."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            if process.poll() is not None:
                raise
