#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes system calls in a sealed program, as code of an attacker in it could, and looks at what reached outside.

    inject.py PROGRAM [--few] [--unsealed] [--user N] [--service]

PROGRAM is the release `pet` or `petd`. `pet chat` answers a line and waits for the next, `petd` is ready; both are sealed by then. ptrace(2) then makes every call of the
kernel's table in its main thread, each with arguments that could do harm. After each call the world outside is compared with what it was:
files, another process, queues and shared memory, sockets that listen, the memory map and the threads of the program itself.

  --few        the calls that this program holds dangerous, not the whole table: a second
  --unsealed   the harmless ones of those, in `pet chat --unsealed`: shows that what reaches outside is seen; ends with 0 where it is
  --user N     start the program with this user's rights
  --service    `pet chat` talks with the petd beside it

Prints a table: call, arguments, what the kernel said, what reached outside. Ends with 1 where something did, 77 where it cannot be tried
(no x86_64, not root). Needs root, because the program may not be looked into by others.
"""
import ctypes, errno, os, platform, re, resource, select, shutil, signal, socket, struct, subprocess, sys, tempfile, time

PTRACE_PEEKDATA, PTRACE_POKEDATA, PTRACE_CONT, PTRACE_SINGLESTEP = 2, 5, 7, 9
PTRACE_GETREGS, PTRACE_SETREGS, PTRACE_SEIZE = 12, 13, 0x4206
LAST_CALL = 470
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
REGISTERS = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()


def ptrace(request, pid, address=0, data=0):
    ctypes.set_errno(0)
    result = libc.ptrace(request, pid, address, data)
    if result == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), f"ptrace {request}")
    return result


def call_names():
    """Numbers of calls, from the headers; a number without a name is called by it."""
    names = {}
    for folder in ("/usr/include/x86_64-linux-gnu/asm", "/usr/include/asm"):
        try:
            for name, number in re.findall(r"#define __NR_(\w+) (\d+)", open(f"{folder}/unistd_64.h").read()):
                names[int(number)] = name
            break
        except OSError:
            pass
    names.update({451: "cachestat", 452: "fchmodat2", 453: "map_shadow_stack", 454: "futex_wake", 455: "futex_wait", 456: "futex_requeue",
                  457: "statmount", 458: "listmount", 459: "lsm_get_self_attr", 460: "lsm_set_self_attr", 461: "lsm_list_modules",
                  462: "mseal", 463: "setxattrat", 464: "getxattrat", 465: "listxattrat", 466: "removexattrat", 467: "open_tree_attr",
                  468: "file_getattr", 469: "file_setattr"})
    return {number: names.get(number, f"#{number}") for number in range(LAST_CALL + 1)}


class Program:
    """The program, started, sealed and stopped in its main thread, which waits for a line."""

    def __init__(self, path, place, user, unsealed):
        is_daemon = os.path.basename(path) == "petd"
        words = [path] + ([] if is_daemon else ["chat", "--no-service", "--max-tokens", "4"]) + ["--profile", "watch"]
        # Who asks for nothing of its own is answered by petd.
        if place.service: words = [path, "chat"]
        words += ["--unsealed"] if unsealed else []
        given, output, ready = os.pipe(), os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.dup2(given[0], 0); os.dup2(output[1], 2 if is_daemon else 1); os.dup2(os.open("/dev/null", os.O_WRONLY), 1 if is_daemon else 2)
                if user: os.setgroups([]); os.setgid(user); os.setuid(user)
                os.read(ready[0], 1)
                os.execve(path, words, {"PATH": "/usr/bin:/bin", "PET_HOME": place.own, "LANG": "C.UTF-8"})
            finally:
                os._exit(127)
        os.close(given[0]); os.close(output[1])
        self.input, self.output = given[1], output[0]
        # With this process's rights: without them memory of what may not be dumped stays closed.
        ptrace(PTRACE_SEIZE, self.pid)
        os.write(ready[1], b"x")
        os.close(ready[0]); os.close(ready[1])
        os.write(self.input, b"hello\n")
        said = b""
        while (b"] ready" if is_daemon else b"\n") not in said:
            self.pass_signals_until(lambda: select.select([self.output], [], [], 0.05)[0], 30)
            said += os.read(self.output, 65536)
        time.sleep(0.3)
        self.stop()
        self.registers = self.get()
        # The instruction before is the one that made the call in which it waits.
        code = ptrace(PTRACE_PEEKDATA, self.pid, self.registers["rip"] - 2) & 0xffff
        if code != 0x050f: raise RuntimeError("the main thread does not wait in a system call")
        self.scratch = self.call(9, 0, 1 << 16, 3, 0x22, -1 & (1 << 64) - 1, 0)
        if self.scratch < 0: raise RuntimeError("no memory")

    def pass_signals_until(self, is_done, seconds):
        end = time.time() + seconds
        while not is_done():
            if time.time() > end: raise RuntimeError("the program does not answer")
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid and os.WIFSTOPPED(status):
                number = os.WSTOPSIG(status)
                ptrace(PTRACE_CONT, self.pid, 0, 0 if number == signal.SIGTRAP else number)
            elif pid: raise RuntimeError(f"the program ended: {status}")

    def stop(self):
        libc.syscall(234, self.pid, self.pid, int(signal.SIGSTOP))
        self.wait()

    def wait(self, seconds=None):
        """The signal of the stop; None: not within the time. Raises where the program ended."""
        end = None if seconds is None else time.time() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG if end else 0)
            if pid: break
            if time.time() > end: return None
            time.sleep(0.0005)
        if not os.WIFSTOPPED(status): raise ProcessLookupError(f"ended by {status}")
        return os.WSTOPSIG(status)

    def get(self):
        raw = (ctypes.c_ulonglong * len(REGISTERS))()
        ptrace(PTRACE_GETREGS, self.pid, 0, ctypes.addressof(raw))
        return dict(zip(REGISTERS, raw))

    def set(self, values):
        raw = (ctypes.c_ulonglong * len(REGISTERS))(*[values[name] & (1 << 64) - 1 for name in REGISTERS])
        ptrace(PTRACE_SETREGS, self.pid, 0, ctypes.addressof(raw))

    def write(self, offset, data):
        address = self.scratch + offset
        data += b"\0" * (-len(data) % 8)
        for i in range(0, len(data), 8):
            ptrace(PTRACE_POKEDATA, self.pid, address + i, struct.unpack_from("<Q", data, i)[0])
        return address

    def call(self, number, *arguments):
        """What the call returned: minus an error number where it failed. One that waits is interrupted."""
        arguments = list(arguments) + [0] * (6 - len(arguments))
        values = dict(self.registers, rip=self.registers["rip"] - 2, rax=number, orig_rax=(1 << 64) - 1)
        values.update(zip(("rdi", "rsi", "rdx", "r10", "r8", "r9"), arguments))
        self.set(values)
        ptrace(PTRACE_SINGLESTEP, self.pid)
        if self.wait(0.3) is None:
            self.stop()
        result = self.get()["rax"]
        return result - (1 << 64) if result >> 63 else result

    def end(self):
        try: os.kill(self.pid, signal.SIGKILL); os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError): pass
        for descriptor in (self.input, self.output): os.close(descriptor)


class Place:
    """The world outside, and what of it can be compared."""

    def __init__(self, user, service=None):
        self.root = tempfile.mkdtemp(prefix="pet-injection.")
        self.own, self.outside = self.root + "/own", self.root + "/outside"
        for folder in (self.own, self.outside): os.mkdir(folder, 0o700)
        self.file = self.outside + "/file"
        with open(self.file, "w") as file: file.write("outside\n")
        os.chmod(self.root, 0o755); os.chmod(self.outside, 0o777); os.chmod(self.file, 0o644)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); self.udp.bind(("127.0.0.1", 0))
        self.stream = socket.socket(socket.AF_UNIX); self.stream.bind(self.outside + "/stream"); self.stream.listen()
        self.datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); self.datagram.bind(self.outside + "/datagram")
        self.sockets = [self.tcp, self.udp, self.stream, self.datagram]
        if user:
            for path in (self.own, self.outside, self.file): os.chown(path, user, user)
        self.victim = os.fork()
        if self.victim == 0:
            if user: os.setgroups([]); os.setgid(user); os.setuid(user)
            # Signals that come are then seen as pending.
            signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP})
            libc.prctl(1, 9, 0, 0, 0)
            while True: time.sleep(1000)
        time.sleep(0.1)
        self.service = None
        if service:
            self.service = subprocess.Popen([service, "--profile", "watch"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                            env={"PATH": "/usr/bin:/bin", "PET_HOME": self.own}, **({"user": user, "group": user, "extra_groups": []} if user else {}))
            for line in self.service.stderr:
                if b"] ready" in line: break
            else: raise RuntimeError("petd does not start")

    def end(self):
        if self.service: self.service.kill(); self.service.communicate()
        try: os.kill(self.victim, signal.SIGKILL); os.waitpid(self.victim, 0)
        except (ProcessLookupError, ChildProcessError): pass
        shutil.rmtree(self.root, ignore_errors=True)

    def files(self):
        found = {}
        for folder, folders, names in os.walk(self.outside):
            for path in [folder] + [f"{folder}/{name}" for name in names]:
                status = os.lstat(path)
                content = open(path, "rb").read() if os.path.isfile(path) else b""
                found[path] = (oct(status.st_mode), status.st_uid, status.st_gid, status.st_mtime_ns, status.st_nlink, content,
                               tuple(os.listxattr(path, follow_symlinks=False)))
        return found

    def state(self, program):
        """Each aspect by name; one that cannot be read is left out."""
        def text(path): return open(path).read()
        def lines(path): return text(path).splitlines()[1:]
        own, victim = f"/proc/{program.pid}", f"/proc/{self.victim}"
        def signals(): return [line for line in text(victim + "/status").splitlines() if line[:6] in ("SigPnd", "ShdPnd", "State:")]
        def descriptors():
            links = {n: os.readlink(f"{own}/fd/{n}") for n in os.listdir(own + "/fd")}
            return sorted(n + " " + link for n, link in links.items()
                          if link.startswith(self.outside) or "notify" in link or "uring" in link or "bpf" in link or "perf" in link or "userfault" in link)
        aspects = {
            "files outside": self.files,
            "programs with its owner's rights": lambda: sorted(
                f"{folder}/{name}" for folder, _, names in os.walk(self.own) for name in names if os.lstat(f"{folder}/{name}").st_mode & 0o7000),
            "message queues": lambda: lines("/proc/sysvipc/msg"), "shared memory": lambda: [line.split()[1] for line in lines("/proc/sysvipc/shm")],
            "semaphores": lambda: [line.split()[1] for line in lines("/proc/sysvipc/sem")],
            "POSIX queues": lambda: os.listdir("/dev/mqueue"),
            "signals of another process": signals, "limits of another process": lambda: text(victim + "/limits"),
            "priority of another process": lambda: (os.getpriority(os.PRIO_PROCESS, self.victim), os.sched_getscheduler(self.victim),
                                                    libc.syscall(252, 1, self.victim)),
            "processors of another process": lambda: os.sched_getaffinity(self.victim),
            "limits of the injector": lambda: text("/proc/self/limits"),
            "executable memory": lambda: [line for line in text(own + "/maps").splitlines() if re.match(r"\S+ ..x", line)],
            "children": lambda: [text(f"{own}/task/{thread}/children") for thread in [program.pid]],
            "filter": lambda: [line for line in text(own + "/status").splitlines() if line.startswith(("Seccomp", "NoNewPrivs", "CapEff"))],
            "name that others read": lambda: text(own + "/comm"), "program": lambda: os.readlink(own + "/exe"),
            "view": lambda: [os.readlink(f"{own}/ns/{name}") for name in sorted(os.listdir(own + "/ns"))] + [os.readlink(own + "/root")],
            "mounts": lambda: text(own + "/mounts"), "descriptors": descriptors,
            "keys": lambda: sorted(line.split()[0] for line in text("/proc/keys").splitlines() if "pet-injection" in line),
            "host name": platform.node, "process group": lambda: os.getpgid(program.pid),
        }
        state = {}
        for name, read in aspects.items():
            try: state[name] = read()
            except OSError: pass
        state["sockets that listen"] = [which.getsockname() for which in select.select(self.sockets, [], [], 0)[0]]
        return state

    def calm(self):
        """Takes what came, so that it is told once."""
        for which in (self.tcp, self.stream):
            while select.select([which], [], [], 0)[0]: which.accept()[0].close()
        for which in (self.udp, self.datagram):
            while select.select([which], [], [], 0)[0]: which.recv(100)


def attempts(place, program):
    """Arguments for calls by name, each after what they are; and those for calls that are not named."""
    P = program
    outside, folder = P.write(0, place.outside.encode() + b"/file\0"), P.write(512, place.outside.encode() + b"\0")
    made, own = P.write(1024, place.outside.encode() + b"/made\0"), P.write(1536, place.own.encode() + b"/made\0")
    name, value, attribute = P.write(2048, b"pet-injection\0"), P.write(2112, b"the words that were said"), P.write(2176, b"user.pet\0")
    empty = P.write(2240, b"\0" * 64)
    same = P.write(2304, struct.pack("<QQ", 60, 60))
    zeros = P.write(2368, b"\0" * 128)
    address = lambda family, port: struct.pack("<H", family) + struct.pack(">H", port) + socket.inet_aton("127.0.0.1") + b"\0" * 8
    tcp, udp = P.write(2560, address(2, place.tcp.getsockname()[1])), P.write(2592, address(2, place.udp.getsockname()[1]))
    stream, datagram = P.write(2624, struct.pack("<H", 1) + place.stream.getsockname().encode() + b"\0"), P.write(2752, struct.pack("<H", 1) + place.datagram.getsockname().encode() + b"\0")
    mask = P.write(2880, b"\1" + b"\0" * 127)
    memory = P.write(3072, b"\0" * 4096) & ~4095
    uring = P.write(8192, b"\0" * 120)
    how = P.write(8320, struct.pack("<QQQ", 0x41, 0o600, 0))
    argv = P.write(8384, struct.pack("<QQ", 0, 0))
    program_path = P.write(8448, b"/bin/true\0")
    clone3 = P.write(8512, struct.pack("<8Q", 0, 0, 0, 0, 17, 0, 0, 0))
    iovec = P.write(8640, struct.pack("<QQ", value, 8))
    message = P.write(8704, struct.pack("<QQQQQQQ", datagram, 110, iovec, 1, 0, 0, 0))
    info = P.write(8832, struct.pack("<iii", 10, 0, -1) + b"\0" * 116)
    attr = P.write(8960, struct.pack("<IiQ", 0, 8, 0) + b"\0" * 112)
    schedattr = P.write(9088, struct.pack("<IIQiI", 48, 3, 0, 0, 0) + b"\0" * 24)
    mqattr = P.write(9152, b"\0" * 64)
    at, victim, me = -100, place.victim, P.pid
    table = {
        "open": [("outside to write", outside, 1), ("outside to read", outside, 0), ("made outside", made, 0x41, 0o600), ("set-user file", own, 0x41, 0o4755)],
        "creat": [("outside", made, 0o600), ("set-user file", own, 0o4755)],
        "openat": [("outside to write", at, outside, 1), ("outside to read", at, outside, 0), ("made outside", at, made, 0x41, 0o600),
                   ("set-user file", at, own, 0x41, 0o4755), ("folder outside", at, folder, 0x10000)],
        "openat2": [("made outside", at, made, how, 24)],
        "mkdir": [("outside", made, 0o700)], "mkdirat": [("outside", at, made, 0o700)], "rmdir": [("outside", folder)],
        "mknod": [("pipe outside", made, 0o010600), ("set-user file", own, 0o104755)], "mknodat": [("pipe outside", at, made, 0o010600), ("set-user file", at, own, 0o104755)],
        "unlink": [("outside", outside)], "unlinkat": [("outside", at, outside, 0)], "rename": [("outside", outside, made)],
        "renameat": [("outside", at, outside, at, made)], "renameat2": [("outside", at, outside, at, made, 0)],
        "link": [("outside", outside, made)], "linkat": [("outside", at, outside, at, made, 0)], "symlink": [("outside", value, made)],
        "symlinkat": [("outside", value, at, made)], "truncate": [("outside", outside, 3)],
        "chmod": [("outside", outside, 0o640)], "fchmodat": [("outside", at, outside, 0o640)], "fchmodat2": [("outside", at, outside, 0o640, 0)],
        "fchmod": [("a descriptor", 1, 0o640)], "chown": [("outside", outside, 12345, 12345)], "lchown": [("outside", outside, 12345, 12345)],
        "fchown": [("a descriptor", 1, 12345, 12345)], "fchownat": [("outside", at, outside, 12345, 12345, 0)],
        "setxattr": [("words on a file outside", outside, attribute, value, 23, 0)], "lsetxattr": [("words on a file outside", outside, attribute, value, 23, 0)],
        "setxattrat": [("words on a file outside", at, outside, 0, attribute, zeros, 16)], "fsetxattr": [("a descriptor", 1, attribute, value, 23, 0)],
        "utime": [("outside", outside, 0)], "utimes": [("outside", outside, 0)], "futimesat": [("outside", at, outside, 0)],
        "utimensat": [("outside", at, outside, 0, 0)], "file_setattr": [("outside", at, outside, zeros, 24, 0)],
        "msgget": [("a queue", 0x50455400, 0o1666)], "msgsnd": [("a queue", 0, value, 8, 0o4000)], "shmget": [("a segment", 0x50455400, 4096, 0o1666)],
        "shmat": [("to run", 0, 0, 0o100000)], "semget": [("a set", 0x50455400, 1, 0o1666)], "semctl": [("a value", 0, 0, 16, 5)], "mq_open": [("a queue", name, 0x42, 0o666, 0)],
        "mq_unlink": [("a queue", name)], "add_key": [("a user's key", attribute, name, value, 8, -4), ("a key of its own", P.write(9216, b"user\0"), name, value, 8, -4)],
        "keyctl": [("join a session", 1, name)], "request_key": [("", P.write(9216, b"user\0"), name, 0, -4)],
        "prlimit64": [("another's processor time", victim, 0, same, 0), ("the parent's", os.getpid(), 0, same, 0)],
        "sched_setaffinity": [("another", victim, 8, mask)], "sched_setscheduler": [("another", victim, 3, empty)], "sched_setparam": [("another", victim, empty)],
        "sched_setattr": [("another", victim, schedattr, 0)], "setpriority": [("another", 0, victim, 5), ("its user's", 2, 0, 5), ("its group's", 1, 0, 5)],
        "ioprio_set": [("another", 1, victim, 3 << 13), ("its user's", 3, 0, 3 << 13)],
        "kill": [("another", victim, 10)], "tkill": [("another", victim, 10)], "tgkill": [("another", victim, victim, 10)],
        "rt_sigqueueinfo": [("another", victim, 10, info)], "rt_tgsigqueueinfo": [("another", victim, victim, 10, info)],
        "pidfd_open": [("another", victim, 0)], "pidfd_send_signal": [("a descriptor", 3, 10, 0, 0)], "pidfd_getfd": [("a descriptor", 3, 0, 0)],
        "ptrace": [("another", 0x4206, victim, 0, 0)], "process_vm_readv": [("another", victim, iovec, 1, iovec, 1, 0)],
        "process_vm_writev": [("another", victim, iovec, 1, iovec, 1, 0)], "process_madvise": [("a descriptor", 3, iovec, 1, 21, 0)],
        "process_mrelease": [("a descriptor", 3, 0)], "kcmp": [("another", me, victim, 0, 0, 0)], "migrate_pages": [("another", victim, 1, mask, mask)],
        "move_pages": [("another", victim, 0, 0, 0, 0, 2)], "setpgid": [("itself", 0, 0)], "setsid": [("itself",)],
        "socket": [(f"family {family}", family, kind, 0) for family in range(46) if family != 1 for kind in (1, 2, 3)],
        "socketpair": [(f"family {family}", family, 1, 0, zeros) for family in range(46) if family != 1],
        "connect": [("TCP", 1, tcp, 16), ("a Unix socket", 1, stream, 110)], "bind": [("a descriptor", 1, stream, 110)], "listen": [("a descriptor", 1, 5)],
        "sendto": [("UDP", 1, value, 8, 0, udp, 16), ("a Unix socket", 1, value, 8, 0, datagram, 110)], "sendmsg": [("a Unix socket", 1, message, 0)],
        "sendmmsg": [("a Unix socket", 1, message, 1, 0)], "recvmsg": [("a descriptor", 1, message, 0)],
        "execve": [("", program_path, argv, argv)], "execveat": [("", at, program_path, argv, argv, 0)], "fork": [("",)], "vfork": [("",)],
        "clone": [("a process", 17, 0, 0, 0, 0), ("a view of files", 0x20000 | 17, 0, 0, 0, 0)], "clone3": [("a process", clone3, 64)],
        "unshare": [("descriptors", 0x400), ("users", 0x10000000), ("network", 0x40000000)], "setns": [("", 1, 0)],
        "mmap": [("to write and run", 0, 4096, 7, 0x22, -1, 0), ("to run", 0, 4096, 5, 0x22, -1, 0)],
        "mprotect": [("to run", memory, 4096, 5), ("to write and run", memory, 4096, 7)], "pkey_mprotect": [("to run", memory, 4096, 5, -1)],
        "remap_file_pages": [("", memory, 4096, 0, 0, 0)], "personality": [("read implies run", 0x400000)], "memfd_create": [("", name, 0)], "memfd_secret": [("", 0)],
        "io_uring_setup": [("", 4, uring)], "io_uring_enter": [("", 1, 1, 0, 0, 0, 0)], "io_uring_register": [("", 1, 0, 0, 0)], "io_setup": [("", 4, zeros)],
        "bpf": [("a map", 0, attr, 128)], "perf_event_open": [("another", attr, victim, -1, -1, 0)], "userfaultfd": [("", 1)],
        "inotify_init": [("",)], "inotify_init1": [("", 0)], "inotify_add_watch": [("outside", 1, folder, 0xfff)], "fanotify_init": [("", 0x200, 0)],
        "fanotify_mark": [("", 1, 1, 0x3b, at, folder)], "name_to_handle_at": [("outside", at, outside, zeros, zeros, 0)],
        "open_by_handle_at": [("", 1, zeros, 0)], "open_tree": [("outside", at, folder, 1)], "open_tree_attr": [("outside", at, folder, 1, 0, 0)], "mount": [("outside", folder, folder, 0, 4096, 0)],
        "prctl": [("a name", 15, name), ("dumps", 4, 1), ("a tracer", 0x59616d61, -1), ("capabilities kept", 8, 1), ("a subreaper", 36, 1), ("its own memory map", 35, 14, zeros, 104, 0)],
        "ioctl": [("typing ahead", 0, 0x5412, value), ("signals to another", 0, 0x8901, P.write(9280, struct.pack("<i", victim))), ("rights of files", 1, 0x40086602, zeros)],
        "fcntl": [("signals to another", 0, 8, victim), ("another's by a structure", 0, 15, P.write(9344, struct.pack("<ii", 1, victim))), ("a lease", 0, 1024, 1), ("changes of a folder", 0, 1026, 0x1f)],
        "setsockopt": [("a filter", 1, 1, 26, zeros, 16), ("of IP", 1, 0, 35, zeros, 8)], "capset": [("", zeros, zeros)], "setuid": [("", 0)], "seccomp": [("", 2, 0, 0)],
        "sethostname": [("", name, 4)], "syslog": [("", 3, zeros, 64)], "vmsplice": [("", 1, iovec, 1, 0)], "chroot": [("outside", folder)], "pivot_root": [("", folder, folder)],
        "swapon": [("outside", outside, 0)], "acct": [("outside", outside)], "quotactl": [("", 0x800002 << 8, outside, 0, zeros)], "lookup_dcookie": [("", 0, zeros, 64)],
        # What would only stop or upset this thread, with arguments that do not.
        "close": [("none", -1)], "dup2": [("none", -1, 5)], "dup3": [("none", -1, 5, 0)], "close_range": [("none", 1000, 2000, 0)], "munmap": [("its own", P.scratch + (15 << 12), 4096)],
        "read": [("none", -1, zeros, 8)], "write": [("none", -1, value, 8)], "rt_sigaction": [("none", 0, 0, 0, 8)], "rt_sigprocmask": [("none", 0, 0, 0, 8)],
        "futex": [("none", zeros, 0, 1, 0)], "set_tid_address": [("its own", P.registers["fs_base"] + 720)], "brk": [("none", 0)],
        "reboot": [("without its numbers", 0, 0, 0, 0)],
    }
    general = [("a path outside", outside, zeros, 64), ("nothing",), ("another process", victim, zeros, zeros), ("a descriptor", 1, zeros, 64), ("a folder outside", at, folder, zeros, 64)]
    return table, general


# They end the thread, or change how it goes on.
UNTRIED = {"exit": "ends the thread", "exit_group": "ends the program", "rt_sigreturn": "takes registers from the stack", "restart_syscall": "makes the earlier call again"}
HARMLESS = {"openat", "chmod", "fchmodat", "utimensat", "setxattr", "msgget", "shmget", "semget", "prlimit64", "sched_setaffinity", "setpriority", "kill", "tgkill",
            "mmap", "mprotect", "prctl", "inotify_init1", "mkdir"}
HARMLESS_FORMS = {"another", "another's processor time", "outside", "words on a file outside", "a queue", "a segment", "a set", "to run", "to write and run", "a name", "made outside", ""}


def leave_others_queues():
    """Queues, semaphores and shared memory of other programs come and go; with a view of their own nobody else's are seen."""
    NEWIPC, NEWNS, REC, PRIVATE = 0x08000000, 0x00020000, 0x4000, 1 << 18
    if libc.unshare(NEWIPC | NEWNS) != 0: return
    libc.mount(None, b"/", None, ctypes.c_ulong(REC | PRIVATE), None)
    if os.path.isdir("/dev/mqueue"): libc.mount(b"mqueue", b"/dev/mqueue", b"mqueue", ctypes.c_ulong(0), None)


def main():
    words = sys.argv[1:]
    few, unsealed, user = "--few" in words, "--unsealed" in words, 0
    if "--user" in words: user = int(words[words.index("--user") + 1])
    if not words or words[0].startswith("--"): sys.exit(__doc__)
    if platform.machine() != "x86_64" or os.geteuid() != 0:
        print("not tried: needs x86_64 and root"); return 77
    leave_others_queues()
    service = os.path.abspath(words[0]) + "d" if "--service" in words else None
    place = Place(user, service)
    reached, tried, ends, rows = 0, 0, 0, []
    try:
        program = Program(os.path.abspath(words[0]), place, user, unsealed)
        table, general = attempts(place, program)
        before = place.state(program)
        if not unsealed and not any("Seccomp:\t2" in line for line in before["filter"]): raise RuntimeError("the program is not sealed")
        for number, name in call_names().items():
            if name in UNTRIED:
                rows.append((name, "", "not tried", UNTRIED[name])); continue
            forms = table.get(name)
            if forms is None:
                if few or unsealed: continue
                forms = general
            indices = range(len(forms))
            if unsealed: indices = [i for i in indices if name in HARMLESS and forms[i][0] in HARMLESS_FORMS]
            for index in indices:
                # Addresses differ in a program that was started anew.
                form = table.get(name, general)[index]
                tried += 1
                try:
                    result = program.call(number, *form[1:])
                    said = f"= {result}" if result >= 0 else "refused " + errno.errorcode.get(-result, str(result))
                    after = place.state(program)
                    changes = [aspect for aspect in before if before[aspect] != after.get(aspect)]
                except ProcessLookupError as ended:
                    said, changes, ends = f"the program {ended}", [], ends + 1
                if changes: reached += 1
                rows.append((name, form[0], said, ", ".join(changes) or "-"))
                if changes or "the program" in said:
                    place.calm(); program.end()
                    if "signals of another process" in changes or "files outside" in changes or unsealed:
                        place.end(); place = Place(user, service)
                    program = Program(os.path.abspath(words[0]), place, user, unsealed)
                    table, general = attempts(place, program)
                    before = place.state(program)
        program.end()
    finally:
        place.end()
        clean()
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows: print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[3])
    print(f"\ncalls tried: {len({row[0] for row in rows if row[2] != 'not tried'})}; attempts: {tried}; ended the program: {ends}; reached outside: {reached}")
    if unsealed: return 0 if reached >= 12 else 1
    return 1 if reached else 0


def clean():
    """What was let is removed."""
    for kind, path in (("-Q", "msg"), ("-M", "shm"), ("-S", "sem")):
        subprocess.run(["ipcrm", kind, "0x50455400"], capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
