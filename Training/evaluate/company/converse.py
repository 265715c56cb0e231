#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says written conversations to a pet, line by line, and keeps what it answers.

    python3 Training/evaluate/company/converse.py --pet .build/static/release/pet --out OUT/pet-135m --set SET [--model NAME] [--profile watch]
    python3 Training/evaluate/company/converse.py --petd .build/release/petd --out OUT/plain --set SET --model BASE.gguf --plain

SET is a folder of NN.txt, one line of a person on each line (`README.md`). The first form is the whole pet, as people have it, with a
life of its own for each conversation. The second is the model alone, behind the system text of prompts/format.json: what the pet is
compared with. OUT gets NN.jsonl: line, reply, who answered. A run that was stopped goes on where it was.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Training"))
from lib import prompt  # noqa: E402

PLAIN = {"pet": "mochi", "hunger": 30, "energy": 60, "mood": 65, "mem": []}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program = parser.add_mutually_exclusive_group(required=True)
    program.add_argument("--pet", type=pathlib.Path)
    program.add_argument("--petd", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--set", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--model")
    parser.add_argument("--profile")
    parser.add_argument("--persona")
    parser.add_argument("--off", help="rungs that may not answer, as the setting answers.rungs says them")
    parser.add_argument("--home", type=pathlib.Path, help="where models are kept; without it PET_HOME, or where pets live here")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--plain", action="store_true", help="the model alone; with --petd")
    args = parser.parse_args()
    if args.plain != bool(args.petd):
        parser.error("--plain goes with --petd, and --petd with --plain")
    return args


def conversations(args):
    """(where its answers go, its lines) of each that was not held yet."""
    for folder in args.set:
        for path in sorted(folder.glob("[0-9]*.txt")):
            target = args.out / f"{folder.name}-{path.stem}.jsonl"
            if not target.exists():
                yield target, [line for line in path.read_text().splitlines() if line.strip()]


def environment(args):
    own = {key: value for key, value in os.environ.items() if not key.startswith("PET_") or key == "PET_HOME"}
    if args.home:
        own["PET_HOME"] = str(args.home.resolve())
    if args.off:
        own["PET_ANSWERS_RUNGS"] = args.off
    return own


def whole_pet(args, lines):
    """The pet as people have it. Nothing of it is kept, so that each conversation is the first."""
    command = [str(args.pet), "chat", "--incognito", "--no-service", "--json", "--seed", str(args.seed)]
    for name in ("model", "profile", "persona", "temperature"):
        if getattr(args, name) is not None:
            command += [f"--{name}", str(getattr(args, name))]
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            command, env=environment(args), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as pet:
        for line in lines:
            # One that begins with a slash is meant as a message here.
            pet.stdin.write(("/" + line if line.startswith("/") else line) + "\n")
            pet.stdin.flush()
            answer = pet.stdout.readline()
            if not answer:
                errors.seek(0)
                raise SystemExit(f"pet ended: {errors.read().decode()[-500:]}")
            answer = json.loads(answer)
            if "error" in answer:
                raise SystemExit(answer["error"])
            yield line, answer["text"], answer["rung"]
        pet.stdin.close()


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("pet", timeout=600)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


@contextlib.contextmanager
def service(args):
    """A petd of its own; yields what asks it for a reply to messages."""
    with tempfile.TemporaryDirectory() as home:
        path = f"{home}/petd.sock"
        own = environment(args) | ({} if args.home else {"PET_HOME": home})
        with subprocess.Popen([str(args.petd), "--model", str(args.model), "--socket", path, "--log-level", "error",
                               "--set", "safety.v1=off", "--set", "memory.budget=8GB"], env=own) as petd:
            while not os.path.exists(path) and petd.poll() is None:
                time.sleep(0.05)

            def ask(messages):
                connection = Connection(path)
                connection.request("POST", "/v1/chat/completions", json.dumps({
                    "messages": messages, "max_tokens": 80, "seed": args.seed, "top_p": 0.9, "repetition_penalty": 1.0,
                    "temperature": 0.5 if args.temperature is None else args.temperature}), {"Content-Type": "application/json"})
                answer = json.loads(connection.getresponse().read())
                if "choices" not in answer:
                    raise SystemExit(f"petd: {answer}")
                return answer["choices"][0]["message"]["content"]

            try:
                yield ask
            finally:
                petd.terminate()


def model_alone(ask, lines):
    messages = [{"role": "system", "content": prompt.sentences(PLAIN)}]
    for line in lines:
        messages.append({"role": "user", "content": line})
        text = ask(messages)
        messages.append({"role": "assistant", "content": text})
        # A model that was trained on threads writes its marks behind the text.
        yield line, text.split("{")[0].strip(), "model"


def main():
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    with service(args) if args.plain else contextlib.nullcontext() as ask:
        for target, lines in conversations(args):
            answers = model_alone(ask, lines) if args.plain else whole_pet(args, lines)
            rows = [{"line": line, "reply": text, "rung": rung} for line, text, rung in answers]
            draft = target.with_suffix(".part")
            draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
            draft.rename(target)
            print(f"{target.stem}: {len(rows)} replies", flush=True)


if __name__ == "__main__":
    main()
