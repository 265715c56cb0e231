# SPDX-License-Identifier: Apache-2.0
"""Serves the files of a folder as Hugging Face does: a redirection first, ranges, entity tags.

usage: server.py FOLDER. Writes its port to FOLDER/port, and every request for a file to FOLDER/log as
"METHOD RANGE STATUS". FOLDER/manners, read at each request, holds words: cut=N ends a body after N bytes, slow=N waits
N ms after every 64 KiB, no-range answers with everything, no-tag leaves out the entity tag, status=N fails.
"""

import hashlib
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]


def read(name):
    try:
        with open(os.path.join(folder, name)) as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not self.path.startswith("/cdn/"):
            self.send_response(302)
            self.send_header("ETag", '"of-the-redirection"')
            self.send_header("Location", "/cdn" + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        manners = dict((word.split("=") + [""])[:2] for word in read("manners").split())
        # /cdn/OWNER/NAME/resolve/REVISION/FILE
        try:
            with open(os.path.join(folder, "files", *self.path.split("/")[2:4], *self.path.split("/")[6:]), "rb") as file:
                content = file.read()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            manners["status"] = "404"
            content = b""
        tag = '"' + hashlib.sha1(content).hexdigest() + '"'
        start = 0
        asked = self.headers.get("Range", "")
        status = int(manners.get("status", 200))
        same = self.headers.get("If-Range", tag) == tag
        if status == 200 and asked.startswith("bytes=") and "no-range" not in manners and same:
            start = int(asked[6:].rstrip("-"))
            status = 206 if start < len(content) else 416
        body = content[start:] if status < 300 else b""
        with open(os.path.join(folder, "log"), "a") as log:
            log.write(f"{self.command} {asked or '-'} {status}\n")
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if "no-tag" not in manners and status < 300:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        end = min(len(body), int(manners.get("cut", len(body))))
        try:
            for first in range(0, end, 1 << 16):
                self.wfile.write(body[first : min(end, first + (1 << 16))])
                time.sleep(int(manners.get("slow", 0)) / 1000)
        except (BrokenPipeError, ConnectionResetError):
            pass
        if end < len(body):
            self.close_connection = True

    def log_message(self, *_):
        pass


def end_with(parent):
    """A test that crashes leaves no server behind."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
draft = os.path.join(folder, "port.new")
with open(draft, "w") as file:
    file.write(str(server.server_port))
os.rename(draft, os.path.join(folder, "port"))
server.serve_forever()
