#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes manual pages (mdoc) from what a program says of itself: one for the program, one for each of its commands.

    python3 Packaging/manual/manual.py PROGRAM... --output FOLDER [--date SECONDS]

What the help does not say stands in files.mdoc and in variables.mdoc; the settings are the table of the guide Settings.md.
"""
import argparse
import json
import pathlib
import re
import subprocess
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
SETTINGS = HERE.parents[1] / "Sources/PetEngine/PetEngine.docc/Settings.md"
# As many options as a synopsis names one by one; the programs' own usage does the same.
MOST_IN_SYNOPSIS = 12

HEADING = re.compile(r"[A-Z][A-Z ]+")
# A word on the line of a macro that would be taken for a macro.
MACRO = re.compile(r"[A-Z%][A-Za-z0-9]{1,2}|Brq|Bro|Brc")


def escaped(text, is_code=False):
    """Text for troff: what it must not read as its own, and signs that a reader may copy."""
    text = text.replace("\\", "\\e").replace("~", "\\(ti").replace("^", "\\(ha").replace("`", "\\(ga")
    if is_code:
        return text.replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")
    # Of an option, also where it stands in a sentence.
    return re.sub(r"(?<![\w-])--?(?=\w)[\w-]*", lambda option: option[0].replace("-", "\\-"), text)


def line_of_text(text):
    return "\\&" + text if text[:1] in (".", "'") else text


def words_of_macro(text):
    """One argument of a macro."""
    text = escaped(text, is_code=True)
    if MACRO.fullmatch(text):
        text = "\\&" + text
    return f'"{text}"' if " " in text else text


def sentence(text):
    """The lines of one sentence; what stands in backquotes is literal."""
    lines = []
    parts = re.split(r"`([^`]+)`", text)
    opening = ""
    for place, part in enumerate(parts):
        if place % 2 == 0:
            if place > 0:
                closing = re.match(r"[.,;:)!?]*", part)[0]
                part = part[len(closing):]
                lines[-1] += "".join(f" {mark}" for mark in closing)
                if part and not part[0].isspace():
                    lines[-1] += " Ns"
                    lines.append(f".No {words_of_macro(part.split()[0])}")
                    part = part[len(part.split()[0]):]
            opening = "(" if place < len(parts) - 1 and part.endswith("(") else ""
            plain = escaped((part.removesuffix("(") if opening else part).strip())
            lines += [line_of_text(line) for line in textwrap.wrap(plain, 78, break_long_words=False, break_on_hyphens=False)]
        else:
            lines.append(f".Ql {opening + ' ' if opening else ''}{words_of_macro(part)}")
    return lines


def paragraph(text):
    """A sentence begins a line."""
    return [line for part in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9`])", " ".join(text.split())) for line in sentence(part)]


def display(lines):
    return [".Bd -literal -offset indent", *(line_of_text(escaped(line, is_code=True)) for line in lines), ".Ed"]


def sections(discussion):
    """[(heading or None, [paragraph as lines])]: a line in capitals begins a section."""
    found = [(None, [])]
    for block in (discussion or "").split("\n\n"):
        lines = block.splitlines()
        if lines and HEADING.fullmatch(lines[0]):
            found.append((lines[0], []))
            lines = lines[1:]
        if lines:
            found[-1][1].append(lines)
    return found


def body(paragraphs):
    """Paragraphs; those that are indented stay as they are."""
    written = []
    for lines in paragraphs:
        if all(line.startswith("  ") for line in lines):
            indent = min(len(line) - len(line.lstrip()) for line in lines)
            written += display([line[indent:] for line in lines])
        else:
            written += ([".Pp"] if written else []) + paragraph(" ".join(lines))
    return written


def flags(argument):
    """Its names as they are typed, as arguments of `.Fl`."""
    return [("-" if name["kind"] == "long" else "") + name["name"].replace("-", "\\-") for name in argument.get("names", [])]


def shown(command):
    """The arguments that a person is told of."""
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def value(argument):
    return escaped(argument["valueName"], is_code=True)


def synopsis(name, command):
    arguments = shown(command)
    options = [argument for argument in arguments if argument["kind"] != "positional" and not is_usual(argument)]
    lines = [f".Nm {name}"]
    if len(options) > MOST_IN_SYNOPSIS:
        lines.append(".Op Ar options")
    else:
        for option in options:
            word = f"Fl {flags(option)[-1]}" + (f" Ar {value(option)}" if option["kind"] == "option" else "")
            lines.append(f".Op {word}" if option["isOptional"] else f".{word}")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = f"Ar {value(argument)}" + (" ..." if argument["isRepeating"] else "")
            lines.append(f".Op {word}" if argument["isOptional"] else f".{word}")
    if commands(command):
        lines.append(".Op Ar command" if options else ".Ar command")
    return lines


def is_usual(argument):
    """Whether every command has it."""
    return argument["valueName"] in ("help", "version")


def explanation(argument):
    text = argument.get("abstract") or ""
    values, default = argument.get("allValues") or [], argument.get("defaultValue")
    if values and not all(re.search(rf"\b{re.escape(value)}\b", text) for value in values):
        text += f" Values: {', '.join(values)}."
    if default is not None:
        text += f" Default: {default}."
    return paragraph(text) if text else []


def arguments(command):
    positional = [argument for argument in shown(command) if argument["kind"] == "positional"]
    options = [argument for argument in shown(command) if argument["kind"] != "positional"]
    written = []
    for heading, some in (("ARGUMENTS", positional), ("OPTIONS", options)):
        if some:
            written += [f".Sh {heading}", ".Bl -tag -width Ds"]
            for argument in some:
                names = " , ".join(f"Fl {name}" for name in flags(argument))
                tag = f"Ar {value(argument)}"
                written.append(f".It {names + ' ' if names else ''}{tag if argument['kind'] != 'flag' else ''}".rstrip())
                written += explanation(argument)
            written.append(".El")
    return written


def commands(command):
    return [sub for sub in command.get("subcommands", []) if sub["shouldDisplay"] and sub["commandName"] != "help"]


def statuses(text):
    """What the exit codes in one sentence mean: "0 done; 2 usage." """
    found = re.findall(r"(\d+) ([^;]+?)(?:;|\.$)", text)
    lines = [".Bl -tag -width Ds"]
    for number, meaning in found:
        lines += [f".It {number}", *paragraph(meaning[0].upper() + meaning[1:] + ".")]
    return lines + [".El"]


def settings():
    """The settings as variables: the table of the guide."""
    lines = []
    for row in SETTINGS.read_text().splitlines():
        if row.startswith("| `"):
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            lines += [f".It Ev {cells[1].strip('`')}", *paragraph(f"{cells[0]}: {cells[4]}.")]
    if not lines:
        raise SystemExit(f"manual.py: {SETTINGS} has no table of settings")
    return lines


def fragment(name):
    return (HERE / name).read_text().splitlines()


class Program:
    def __init__(self, path, seconds):
        def run(*words):
            # Without the person's settings: one that is misspelt would be refused.
            return subprocess.run([path, *words], check=True, capture_output=True, text=True,
                                  env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}).stdout

        self.command = json.loads(run("--experimental-dump-help"))["command"]
        self.version = run("--version").split()[1]
        self.date = time.strftime("%B %-d, %Y", time.gmtime(seconds))

    @property
    def name(self):
        return self.command["commandName"]

    def pages(self, exit_codes):
        """{name of a file: text}"""
        found = {}

        def add(words, command):
            found[f"{'-'.join(words)}.1"] = "\n".join(self.page(words, command, exit_codes)) + "\n"
            for sub in commands(command):
                add([*words, sub["commandName"]], sub)

        add([self.name], self.command)
        return found

    def page(self, words, command, exit_codes):
        title, is_program = "-".join(words), len(words) == 1
        abstract = command["abstract"].rstrip(".")
        parts = sections(command.get("discussion"))
        lines = [
            '.\\" Written by Packaging/manual/manual.py from the help of the program.',
            f".Dd {self.date}", f".Dt {title.upper()} 1", f".Os Pet {self.version}",
            ".Sh NAME", f".Nm {title}", f".Nd {escaped(abstract[0].lower() + abstract[1:])}",
            ".Sh SYNOPSIS", *synopsis(" ".join(words), command),
            ".Sh DESCRIPTION", *(body(parts[0][1]) or paragraph(command["abstract"]))]
        later = []
        for heading, paragraphs in parts[1:]:
            if heading == "EXAMPLES":
                later += [".Sh EXAMPLES", *body(paragraphs)]
            elif heading == "SIGNALS":
                later += [".Sh SIGNALS", *body(paragraphs)]
            elif heading != "EXIT CODES":
                lines += [f".Ss {heading.capitalize()}", *body(paragraphs)]
        lines += arguments(command)
        if commands(command):
            lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
            for sub in commands(command):
                lines += [f".It Xr {title}-{sub['commandName']} 1", *paragraph(sub["abstract"])]
            lines.append(".El")
        if is_program:
            lines += [".Sh ENVIRONMENT", *fragment("variables.mdoc"), *settings(), ".El", ".Sh FILES", *fragment("files.mdoc")]
        lines += [".Sh EXIT STATUS", *statuses(exit_codes), *later, ".Sh SEE ALSO", *self.others(words)]
        return lines

    @staticmethod
    def others(words):
        """The commands above it, and the programs."""
        parents = ["-".join(words[:length]) for length in range(1, len(words))]
        names = sorted({*parents, "pet", "petd"} - {"-".join(words)})
        return [f".Xr {name} 1{' ,' if name != names[-1] else ''}" for name in names]


def exit_codes(programs):
    """The sentence with the exit codes, which the first program that has one says for all."""
    for program in programs:
        for heading, paragraphs in sections(program.command.get("discussion")):
            if heading == "EXIT CODES":
                return " ".join(" ".join(lines) for lines in paragraphs)
    raise SystemExit("manual.py: no program tells its exit codes")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("programs", nargs="+", metavar="PROGRAM")
    p.add_argument("--output", type=pathlib.Path, required=True)
    p.add_argument("--date", type=int, default=int(time.time()), help="of the pages, in seconds since 1970")
    args = p.parse_args()
    programs = [Program(path, args.date) for path in args.programs]
    codes = exit_codes(programs)
    args.output.mkdir(parents=True, exist_ok=True)
    for program in programs:
        for name, text in program.pages(codes).items():
            (args.output / name).write_text(text)


if __name__ == "__main__":
    main()
