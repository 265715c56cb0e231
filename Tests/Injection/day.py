#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person's day with sealed programs, as an ordinary user, beside the same day unsealed: the seal must not be noticed.

    day.py PET [--strace]

PET is the release program; `petd` lies beside it. Chats, is in danger, classifies, completes,
looks at models, runs petd with its page, restarts it, forgets. Each command runs twice, as it is and with --unsealed, in homes of their own.
Prints a line for each: status, whether status and output are the same (numbers aside), and, with --strace, which calls were refused
(strace(1) is needed). Ends with 1 where something differs, 77 where it cannot be tried (not root).
"""
import collections, http.client, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time

USER = 65534


def become():
    os.setgroups([]); os.setgid(USER); os.setuid(USER)


def without_numbers(text):
    return re.sub(r"[\d.,]+( ?(ms|s|MiB|MB|kB|tokens/s|%))?", "N", text)


class Day:
    def __init__(self, pet, files, place, sealed, traced):
        self.pet, self.files, self.sealed, self.traced = pet, files, sealed, traced
        self.home = f"{place}/{'sealed' if sealed else 'unsealed'}"
        os.mkdir(self.home, 0o700); os.chown(self.home, USER, USER)
        self.environment = {"PATH": "/usr/bin:/bin", "PET_HOME": self.home, "LANG": "C.UTF-8", "TERM": "dumb"}
        self.refused = collections.Counter()

    def words(self, words, can_unseal):
        log = f"{self.home}/trace"
        trace = ["strace", "-f", "-qq", "-e", "signal=none", "-Z", "-o", log] if self.traced and self.sealed else []
        return trace + words + ([] if self.sealed or not can_unseal else ["--unsealed"]), log

    def count(self, log):
        if not os.path.exists(log): return
        for line in open(log, errors="replace"):
            if found := re.search(r"(\w+)\(.*= -1 (EPERM|EACCES|ENOSYS)", line): self.refused[f"{found[1]} {found[2]}"] += 1
        os.remove(log)

    def run(self, *words, said="", can_unseal=True):
        command, log = self.words([self.pet, *words], can_unseal)
        done = subprocess.run(command, input=said.encode(), capture_output=True, env=self.environment, preexec_fn=become, cwd=self.home, timeout=120)
        self.count(log)
        return done.returncode, done.stdout.decode(errors="replace").replace(self.home, "HOME"), done.stderr.decode(errors="replace").replace(self.home, "HOME")

    def daemon(self):
        command, log = self.words([self.pet + "d", "--profile", "watch", "--port", "0"], True)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment, preexec_fn=become,
                                   cwd=self.home)
        text = b""
        while b"] ready" not in text:
            part = os.read(process.stderr.fileno(), 65536)
            if not part: raise RuntimeError(f"petd ended: {text}")
            text += part
        return process, int(re.search(rb"127\.0\.0\.1:(\d+)", text)[1]), log

    def page(self, port):
        token = open(f"{self.home}/petd.token").readline().strip()
        answers = []
        for path in ("/", "/health", "/v1/models", "/pet/figures", "/metrics"):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            client.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            answers.append(client.getresponse().status)
        return 0, str(answers), ""

    def end(self, process, log):
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split() if self.traced and self.sealed else []
        for pid in children or [process.pid]: os.kill(int(pid), signal.SIGTERM)
        process.stderr.read()
        status = process.wait(30)
        self.count(log)
        return status, "", ""

    def steps(self):
        """(what, its result)"""
        watch, photo = ["--profile", "watch"], f"{self.home}/photo.jpg"
        for name, source in self.files.items():
            os.makedirs(os.path.dirname(f"{self.home}/{name}"), 0o700, exist_ok=True)
            shutil.copy(source, f"{self.home}/{name}")
        for folder, folders, files in os.walk(self.home):
            for name in folders + files: os.chown(f"{folder}/{name}", USER, USER)
        seed = ["--seed", "3"]
        lines = "hello\nmy name is Ada\nwhat is my name?\ni want to kill myself\n/memory\n/feed\n/state\n/quit\n"
        yield "chat", self.run("chat", *watch, *seed, "--no-service", "--session", "tea", said=lines)
        yield "chat again", self.run("chat", *watch, *seed, "--no-service", "--session", "tea", said="what is my name?\n/memory\n")
        yield "chat with own persona", self.run("chat", *watch, *seed, "--no-service", "--persona", "me.json", said="hello\n")
        yield "complete", self.run("complete", *watch, *seed, "--no-service", "--prompt", "Once upon a time", "--max-tokens", "8")
        yield "complete to a schema", self.run("complete", *watch, "--no-service", "--prompt", "A cat:", "--schema", "cat.json", "--max-tokens", "60")
        yield "tokenize", self.run("tokenize", *watch, "hello there")
        yield "perplexity", self.run("perplexity", *watch, "text.txt", "--ctx", "64")
        yield "classify pose", self.run("classify", "pose", "photo.jpg", "--draw", "drawn.png")
        yield "classify expression", self.run("classify", "expression", "photo.jpg")
        yield "classify affect", self.run("classify", "affect", "talk.wav")
        yield "classify stress", self.run("classify", "stress", "moods.csv")
        yield "models list", self.run("models", "list", can_unseal=False)
        yield "models show", self.run("models", "show", "pet-nano", can_unseal=False)
        yield "doctor", (self.run("doctor", can_unseal=False)[0], "", "")
        process, port, log = self.daemon()
        yield "petd's page", self.page(port)
        yield "chat through petd", self.run("chat", *watch, "--session", "sea", said="hello\nmy cat is called Tom\n/memory\n")
        yield "complete through petd", self.run("complete", *watch, *seed, "--prompt", "Once upon a time", "--max-tokens", "8")
        yield "top", (self.run("top", "--json", can_unseal=False)[0], "", "")
        yield "petd ends", self.end(process, log)
        process, port, log = self.daemon()
        yield "chat through petd again", self.run("chat", *watch, "--session", "sea", said="/memory\n/forget everything\n/memory\n")
        yield "petd ends again", self.end(process, log)
        yield "forget everything", self.run("chat", *watch, "--no-service", "--session", "tea", said="/forget everything\n/memory\n")


def main():
    words = [word for word in sys.argv[1:] if word != "--strace"]
    if len(words) != 1: sys.exit(__doc__)
    if os.geteuid() != 0:
        print("not tried: needs root"); return 77
    root = os.path.dirname(os.path.abspath(__file__)) + "/../.."
    place = tempfile.mkdtemp(prefix="pet-day-", dir="/tmp")
    os.chmod(place, 0o755)
    with open(f"{place}/me.json", "w") as file: json.dump({"name": "Io", "kind": "moth", "temperament": "bold"}, file)
    with open(f"{place}/text.txt", "w") as file: file.write("The kettle is on and the rain has stopped. " * 60)
    example = f"{root}/Examples/classify"
    files = {"me.json": f"{place}/me.json", "text.txt": f"{place}/text.txt", "cat.json": f"{root}/Examples/cat.schema.json", "moods.csv": f"{example}/moods.csv", "photo.jpg": f"{example}/photo.jpg",
             "talk.wav": f"{example}/talk.wav", "models/parent-stress/parent-stress.gguf": f"{root}/Models/parent-stress/parent-stress.gguf"}
    pet, differ = os.path.abspath(words[0]), 0
    days = [Day(pet, files, place, sealed, "--strace" in sys.argv) for sealed in (True, False)]
    try:
        for (what, sealed), (_, plain) in zip(*(day.steps() for day in days)):
            same = sealed[0] == plain[0] and without_numbers(sealed[1]) == without_numbers(plain[1])
            differ += not same
            print(f"{what:28} status {sealed[0]:3}  {'the same' if same else 'DIFFERENT'}", flush=True)
            if not same: print(f"  sealed:   {sealed}\n  unsealed: {plain}")
        if days[0].refused: print("\nrefused, in all of it: " + ", ".join(f"{call} {count}" for call, count in days[0].refused.most_common()))
        print(f"\ndifferent: {differ}")
        return int(differ > 0)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
