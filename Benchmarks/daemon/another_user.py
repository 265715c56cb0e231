# SPDX-License-Identifier: Apache-2.0
"""Whether a process of another user of this machine is kept out."""
import os
import shutil
import subprocess
import tempfile
import time

from petd import Daemon

from chats import Home

NOBODY = 65534
QUIET = 0.15  # seconds in which a line of log would come


def another_user(program, model):
    """What another user's process gets: with the socket as it is, and where somebody has opened its mode and its folder."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        return []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        daemon = Daemon(Home(f"{folder}/home"), "--model", model, "--socket", f"{folder}/petd.sock", program=program)
        daemon.socket = f"{folder}/petd.sock"
        try:
            daemon.wait_until_ready()
            for name, mode in (("another user, socket as it is", None), ("another user, socket made open to all", 0o666)):
                if mode:
                    os.chmod(daemon.socket, mode)
                lines = len(daemon.log)
                code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(10)\n"
                        "try:\n s.connect(sys.argv[1])\nexcept PermissionError:\n print('not connected')\n sys.exit()\n"
                        "s.sendall(b'GET /pet/pets HTTP/1.1\\r\\nHost: pet\\r\\nConnection: close\\r\\n\\r\\n')\nprint(s.recv(99).split()[1].decode())")
                done = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "/usr/bin/python3", "-c", code,
                                       daemon.socket], capture_output=True, text=True, cwd="/")
                time.sleep(QUIET)
                told = done.stdout.strip() or done.stderr.strip()[-60:]
                rows.append({"name": name, "told": told, "log_lines": len(daemon.log) - lines, "sound": told in ("not connected", "403")})
        finally:
            daemon.kill()
    return rows
