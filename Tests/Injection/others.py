#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries, as another ordinary user of the machine, to read or change what somebody said to a pet.

    others.py PET [--open]

Starts `pet chat` and `petd` (which lies beside PET) for one user, says words that occur nowhere else, and tries some thirty ways as a second
user. Prints each way and what came of it. Ends with 1 where a word was read or something changed, 77 where it cannot be tried (not root).

  --open   opens the home to everybody: shows that what can be had is seen; ends with 0 where it is
"""
import ctypes, errno, glob, os, re, select, shutil, signal, socket, subprocess, sys, tempfile, time

OWNER, OTHER = 65534, 65533
WORDS = [b"Quillamere", b"zanthorpe"]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(word) if isinstance(word, int) else word for word in (number, *arguments)])
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def become(user):
    os.setgroups([]); os.setgid(user); os.setuid(user)


def start(words, home, **more):
    return subprocess.Popen(
        words, env={"PATH": "/usr/bin:/bin", "PET_HOME": home, "LANG": "C.UTF-8"}, preexec_fn=lambda: become(OWNER), bufsize=0, **more)


def await_text(file, text, seconds=30):
    said, end = b"", time.time() + seconds
    while text not in said:
        if time.time() > end: raise RuntimeError(f"no {text} in {said}")
        if not select.select([file], [], [], 0.1)[0]: continue
        part = os.read(file.fileno(), 65536)
        if not part: raise RuntimeError(f"ended after {said}")
        said += part
    return said


def words_in(data):
    return [word.decode() for word in WORDS if word in data]


def read(path):
    with open(path, "rb") as file: return file.read(1 << 24)


def ask(address, text, token=None):
    """An HTTP request; the answer's first line and body."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(3)
        client.connect(address)
        head = f"Authorization: Bearer {token}\r\n" if token else ""
        client.sendall(f"{text}\r\nHost: 127.0.0.1:{address[1] if isinstance(address, tuple) else 80}\r\n{head}Connection: close\r\n\r\n".encode())
        answer = b""
        while part := client.recv(65536): answer += part
    if not answer: raise OSError(errno.ECONNRESET, "closed without an answer")
    if b" 200 " not in answer.split(b"\r\n")[0]: raise PermissionError(errno.EACCES, answer.split(b"\r\n")[0].decode())
    return answer


def ways(home, chat, daemon, port, own):
    """(what is tried, what tries it): it returns bytes to look through, or anything else where that it could be done is too much."""
    pids = {"chat": chat, "petd": daemon}
    for folder in ("", "/pets", "/pets/mochi", "/pets/mochi/conversations"):
        yield f"list PET_HOME{folder}", lambda folder=folder: os.listdir(home + folder)
    for name in ("pets/mochi/memory.sqlite", "pets/mochi/memory.sqlite-wal", "pets/mochi/memory.sqlite.key", "pets/mochi/conversations/tea.json",
                 "petd.token", "history"):
        yield f"read {name}", lambda name=name: len(read(f"{home}/{name}"))
        yield f"write {name}", lambda name=name: open(f"{home}/{name}", "ab").close()
    yield "make a file in PET_HOME", lambda: open(f"{home}/made", "wb").close()
    yield "make a pet", lambda: os.mkdir(f"{home}/pets/new")
    yield "rename PET_HOME", lambda: os.rename(home, home + "2")
    yield "link to the memories", lambda: os.link(f"{home}/pets/mochi/memory.sqlite", f"{own}/link")
    yield "take the socket's place", lambda: os.unlink(f"{home}/petd.sock")
    yield "ask petd by its socket", lambda: ask(f"{home}/petd.sock", "GET /pet/pets/mochi/facts HTTP/1.1")
    yield "ask petd over TCP without a token", lambda: ask(("127.0.0.1", port), "GET /pet/pets/mochi/facts HTTP/1.1")
    yield "ask petd over TCP with a guess", lambda: ask(("127.0.0.1", port), "GET /pet/pets/mochi/facts HTTP/1.1", "0" * 64)
    yield "watch PET_HOME", lambda: call(254, call(253), home.encode(), 0xfff)
    for name, pid in pids.items():
        for file in ("mem", "maps", "environ", "auxv", "syscall", "stack", "io", "pagemap"):
            yield f"read /proc of {name}: {file}", lambda pid=pid, file=file: len(read(f"/proc/{pid}/{file}"))
        yield f"read the words that {name} was started with", lambda pid=pid: read(f"/proc/{pid}/cmdline") + b" "
        yield f"list the descriptors of {name}", lambda pid=pid: os.listdir(f"/proc/{pid}/fd")
        yield f"go to the folder of {name}", lambda pid=pid: os.listdir(f"/proc/{pid}/cwd")
        yield f"attach to {name}", lambda pid=pid: call(101, 0x4206, pid, 0, 0)
        yield f"read the memory of {name}", lambda pid=pid: vector(310, pid)
        yield f"write the memory of {name}", lambda pid=pid: vector(311, pid)
        yield f"take a descriptor of {name}", lambda pid=pid: call(438, call(434, pid, 0), 0, 0)
        yield f"signal {name}", lambda pid=pid: os.kill(pid, signal.SIGTERM)
        yield f"limit {name}", lambda pid=pid: call(302, pid, 0, (ctypes.c_ulong * 2)(0, 0), None)
        yield f"slow {name} down", lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 19)
    yield "join an abstract socket", abstract
    yield "read queues and shared memory", lambda: b"".join(read(p) for p in glob.glob("/dev/mqueue/*") + glob.glob("/dev/shm/*")) + b" "
    yield "read what the owner left outside", lambda: outside(home) + b" "
    yield "read the system's log", lambda: b"".join(readable(p) for p in glob.glob("/var/log/**", recursive=True)) + b" "


def vector(number, pid):
    with open(f"/proc/{pid}/stat") as file: stack = int(file.read().split()[27])
    class Span(ctypes.Structure): _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    data = ctypes.create_string_buffer(64)
    call(number, pid, ctypes.byref(Span(ctypes.addressof(data), 64)), 1, ctypes.byref(Span(stack, 64)), 1, 0)


def abstract():
    names = [line.split("@", 1)[1].strip() for line in open("/proc/net/unix") if "@" in line and re.search("pet", line)]
    for name in names:
        with socket.socket(socket.AF_UNIX) as client: client.connect("\0" + name)
        return None
    raise FileNotFoundError(errno.ENOENT, "there is none")


def readable(path):
    try: return read(path) if os.path.isfile(path) else b""
    except OSError: return b""


def outside(home):
    """What the owner of the pet has made where everybody may read."""
    found = b""
    for top in ("/tmp", "/var/tmp", "/dev/shm", "/run"):
        for folder, folders, files in os.walk(top):
            if folder.startswith(home): continue
            for name in files:
                try:
                    if os.lstat(f"{folder}/{name}").st_uid == OWNER: found += readable(f"{folder}/{name}")
                except OSError: pass
    return found


def main():
    is_open = "--open" in sys.argv[1:]
    programs = [word for word in sys.argv[1:] if word != "--open"]
    if len(programs) != 1: sys.exit(__doc__)
    if os.geteuid() != 0:
        print("not tried: needs root"); return 77
    place = tempfile.mkdtemp(prefix="pet-others-", dir="/tmp")
    os.chmod(place, 0o755)
    home, own = f"{place}/owner/home", f"{place}/other"
    for folder, user in ((f"{place}/owner", OWNER), (own, OTHER)):
        os.mkdir(folder, 0o755); os.chown(folder, user, user)
    pet = os.path.abspath(programs[0])
    started = []
    try:
        seal = ["--unsealed"] if is_open else []
        daemon = start([pet + "d", "--profile", "watch", "--port", "0"] + seal, home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE)
        started.append(daemon)
        port = int(re.search(rb"127\.0\.0\.1:(\d+)", await_text(daemon.stderr, b"] ready")).group(1))
        chat = start([pet, "chat", "--no-service", "--session", "tea", "--profile", "watch"] + seal, home, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        started.append(chat)
        chat.stdin.write(b"my name is Quillamere and i was born in zanthorpe\n")
        await_text(chat.stdout, b"\n")
        time.sleep(0.5)
        if is_open:
            for folder, folders, files in os.walk(home):
                os.chmod(folder, 0o777)
                for name in files: os.chmod(f"{folder}/{name}", 0o666)
        result, report = os.pipe()
        if os.fork() == 0:
            os.close(result)
            become(OTHER)
            os.chdir(own)
            reached = tried = 0
            for what, attempt in ways(home, chat.pid, daemon.pid, port, own):
                tried += 1
                try:
                    data = attempt()
                    found = words_in(data) if isinstance(data, bytes) else ["done"]
                    answer = f"REACHED: {', '.join(found)}" if found else "nothing of it in there"
                    reached += bool(found)
                except OSError as error:
                    answer = f"refused: {error.strerror or error}"
                print(f"{what:44} {answer}", flush=True)
            os.write(report, f"{tried} {reached}".encode())
            os._exit(0)
        os.close(report)
        os.wait()
        tried, reached = map(int, os.read(result, 64).split())
        ended = [process.args[0] for process in started if process.poll() is not None]
        print(f"\nways tried: {tried}; reached: {reached}; programs that ended: {len(ended)}")
        return (reached == 0) if is_open else int(reached > 0 or bool(ended))
    finally:
        for process in started: process.kill()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
