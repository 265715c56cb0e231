# SPDX-License-Identifier: Apache-2.0
"""The packages that scripts/package made, installed on a bare Debian 12: see scripts/test-package."""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

from machine import Machine

FOLDER = Path(__file__).resolve().parents[1]
ROOT = FOLDER.parent
PACKAGES = Path(os.environ["PET_PACKAGES"])
MACHINES = ROOT / ".build/package-machines"
SOCKET = "~/.local/share/pet/petd.sock"

sys.path.insert(0, str(ROOT / "Tests/Checks"))
import linked  # noqa: E402


def made(pattern):
    found = sorted(PACKAGES.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{PACKAGES} must have one {pattern}, and has {[path.name for path in found]}")
    return found[0]


def guide(section):
    """The commands that README.md shows below a heading."""
    text = (FOLDER / "README.md").read_text().split(f"\n## {section}\n")[1].split("\n## ")[0]
    blocks = "\n".join(block.split("```")[0] for block in text.split("```sh\n")[1:])
    return [line for line in blocks.replace("\\\n", " ").splitlines() if line.strip()]


def field(package, name):
    return subprocess.run(["dpkg-deb", "--field", package, name], check=True, capture_output=True, text=True).stdout.strip()


def setUpModule():
    subprocess.run(["rm", "-rf", "--one-file-system", MACHINES], check=True)
    MACHINES.mkdir(parents=True)
    Machine.bare(MACHINES / "bare")


def tearDownModule():
    subprocess.run(["rm", "-rf", "--one-file-system", MACHINES], check=True)


def machine(name, packages=""):
    """A copy of the bare one, with the packages beside what was made and these of Debian."""
    new = Machine(MACHINES / "bare").copy(MACHINES / name)
    dist = new.folder / "home/ada/dist"
    dist.mkdir()
    for path in PACKAGES.iterdir():
        if path.suffix != ".tar":
            os.link(path, dist / path.name) if os.stat(path).st_dev == os.stat(dist).st_dev else (dist / path.name).write_bytes(path.read_bytes())
    if packages:
        new.root(f"apt-get -q install {packages}")
    return new


class FileTests(unittest.TestCase):
    """What is in the files."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.tree = Path(cls.temporary.name)
        subprocess.run(["dpkg-deb", "--extract", made("pet_*.deb"), cls.tree], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_sums_are_those_of_the_files(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            sum, name = line.split()
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), sum, name)

    def test_lintian_finds_nothing(self):
        result = subprocess.run(
            ["lintian", "--allow-root", "--pedantic", "--display-info", "--tag-display-limit", "0", made("pet_*.deb")],
            capture_output=True, text=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_programs_are_stripped_sealed_and_know_no_folder_of_who_built_them(self):
        for program in ("pet", "petd"):
            path = self.tree / "usr/bin" / program
            content = path.read_bytes()
            # Not assertNotIn, which would print the program.
            self.assertFalse(f"{ROOT}/".encode() in content, program)
            dynamic = subprocess.run(["readelf", "-W", "-d", "-l", "-S", path], check=True, capture_output=True, text=True).stdout
            self.assertNotRegex(dynamic, r"R(UN)?PATH|\.symtab|libswift")
            self.assertIn("GNU_RELRO", dynamic)
            self.assertRegex(dynamic, r"\(FLAGS(_1)?\).*(BIND_)?NOW")

    def test_the_weights_of_parent_stress_are_in_none(self):
        pieces = linked.pieces(linked.SEPARATE.read_bytes())
        self.assertTrue(pieces)
        for path in self.tree.rglob("*"):
            if path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                self.assertFalse(any(piece in content for piece in pieces), path)

    def test_a_manual_page_is_there_for_each_command_and_without_fault(self):
        pages = {path.name for path in (self.tree / "usr/share/man/man1").iterdir()}
        expected = set()

        def add(name, command):
            expected.add(f"{name}.1.gz")
            for sub in command.get("subcommands", []):
                if sub["shouldDisplay"] and sub["commandName"] != "help":
                    add(f"{name}-{sub['commandName']}", sub)

        for program in ("pet", "petd"):
            told = subprocess.run(
                [self.tree / "usr/bin" / program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
            add(program, json.loads(told)["command"])
        self.assertEqual(pages, expected)
        for name in sorted(pages):
            text = gzip.decompress((self.tree / "usr/share/man/man1" / name).read_bytes()).decode()
            for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.Sh {heading}\n", text, name)
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, capture_output=True, text=True)
            self.assertEqual((lint.returncode, lint.stdout), (0, ""), name)
            groff = subprocess.run(["groff", "-ww", "-mandoc", "-Tutf8", "-z"], input=text, capture_output=True, text=True)
            self.assertEqual((groff.returncode, groff.stderr), (0, ""), name)

    def test_the_same_programs_make_the_same_bytes(self):
        programs = os.environ.get("PET_PACKAGE_PROGRAMS", str(ROOT / ".build/package-build/release"))
        image = ["--image"] if list(PACKAGES.glob("*.oci.tar")) else []
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["sh", "-c", 'umask 077 && exec "$@"', "sh", ROOT / "scripts/package", "--output", folder, *image], cwd="/",
                check=True, env=os.environ | {"PET_PACKAGE_PROGRAMS": programs, "TZ": "Asia/Tokyo", "LC_ALL": "C"},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(Path(folder, "SHA256SUMS").read_text(), (PACKAGES / "SHA256SUMS").read_text())


class BareTests(unittest.TestCase):
    """On a machine with nothing but what the package depends on."""

    @classmethod
    def setUpClass(cls):
        cls.machine = machine("installed")
        for command in guide("Debian package"):
            if command.startswith("sudo apt-get"):
                cls.machine.shown(command)
                break

    def test_the_commands_of_the_guide_work(self):
        for command in guide("Debian package"):
            if command.startswith("scripts/package"):
                # It made what is tested, or names where it lies.
                self.assertTrue((ROOT / command.split()[0]).exists())
            elif "man pet" == command or command.startswith("pet models pull"):
                # Below, and of what is fetched only that there is such a command.
                self.machine.person(f"{command} --help" if command.startswith("pet") else "true")
            elif "parent-stress" in command:
                weights = self.machine.folder / "home/ada/Models/parent-stress"
                weights.mkdir(parents=True)
                (weights / "parent-stress.gguf").write_bytes(linked.SEPARATE.read_bytes())
                self.machine.shown(command)
                told = self.machine.person("echo '{\"tired\": 3, \"frustrated\": 2}' | pet classify stress - --json").stdout
                self.assertIn('"result"', told)
            elif not command.startswith("sudo apt-get purge"):
                self.assertTrue(self.machine.shown(command).stdout, command)

    def test_an_ordinary_user_talks_through_a_pipe(self):
        began = time.monotonic()
        first = self.machine.person("pet chat --profile watch", input="Good morning!\n", user="ben").stdout
        seconds = time.monotonic() - began
        print(f"first reply after {seconds:.2f} s: {first.strip()} ", file=sys.stderr)
        self.assertRegex(first, r"\w+")
        second = self.machine.person("pet chat --profile watch", input="My name is Ben.\nwhat is my name?\n", user="ben").stdout
        self.assertEqual(len(second.splitlines()), 2, second)
        self.assertIn("Ben", second.splitlines()[1])

    def test_the_version_is_that_of_the_package(self):
        version = field(made("pet_*.deb"), "Version").split("~")[0]
        for program in ("pet", "petd"):
            self.assertRegex(self.machine.person(f"{program} --version").stdout, rf"^{program} {re.escape(version)}$")

    def test_the_doctor_and_what_the_kernel_keeps_are_as_promised(self):
        self.assertIn("release", self.machine.person("pet doctor").stdout)
        self.machine.person("pet privacy")

    def test_the_files_are_roots_and_as_they_were(self):
        self.assertEqual(self.machine.root("dpkg --verify pet").stdout, "")
        listed = self.machine.root("dpkg -L pet | xargs stat -c '%U %G %a %n'").stdout.splitlines()
        for line in listed:
            self.assertRegex(line, r"^root root (755|644) /")
        unit = (self.machine.folder / "usr/lib/systemd/user/petd.service").read_text()
        self.assertIn("\nExecStart=/usr/bin/petd\n", unit)


class DeskTests(unittest.TestCase):
    """On a machine with shells and the reader of the manual."""

    @classmethod
    def setUpClass(cls):
        # Slim images leave manuals out; a machine does not.
        cls.machine = machine("desk", "man-db bash-completion zsh fish")
        cls.machine.root("apt-get -q install /home/ada/dist/pet_*.deb")

    def test_the_manual_opens(self):
        for words in ("pet", "petd", "pet chat", "pet-models-pull"):
            text = self.machine.person(f"MANWIDTH=80 man --warnings {words} | cat")
            self.assertIn(words.upper().replace(" ", "-") + "(1)", text.stdout)
            self.assertEqual(text.stderr, "")
        self.assertIn("pet-chat", self.machine.person("man -w pet-chat").stdout)

    def test_bash_completes(self):
        # As the library of completions does at the first Tab.
        script = """. /usr/share/bash-completion/bash_completion
_completion_loader "$1"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p "$1" | sed 's/.* -F \\([^ ]*\\).*/\\1/')
$function "$1" "${!#}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
        self.machine.write("home/ada/complete.bash", script)
        for words, expected in (("pet ch", "chat"), ("pet models ver", "verify"), ("petd --prof", "--profile")):
            self.assertIn(expected, self.machine.person(f"bash complete.bash {words}").stdout.split(), words)

    def test_zsh_completes(self):
        script = """zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='READY>'; autoload -U compinit; compinit -u -D; bindkey '^I' complete-word; stty -echo; print LOADED"
zpty -r -m shell out '*LOADED*READY>*'
zpty -w -n shell "$1"$'\\t'
sleep 3
zpty -w -n shell $'\\C-a: \\C-e\\n'
zpty -r -m shell out '*READY>*'
print -r -- "$out"
"""
        self.machine.write("home/ada/complete.zsh", script)
        for line, expected in (("pet ch", "pet chat"), ("petd tok", "petd token")):
            self.assertIn(expected, self.machine.person(f"TERM=dumb timeout 60 zsh -f complete.zsh '{line}'").stdout, line)

    def test_fish_completes(self):
        for line, expected in (("pet ch", "chat"), ("pet models ver", "verify"), ("petd --prof", "--profile")):
            told = self.machine.person(f"fish -c 'complete -C \"{line}\"'").stdout
            self.assertIn(expected, [row.split("\t")[0] for row in told.splitlines()], line)


class ServiceTests(unittest.TestCase):
    """Under a systemd of its own, the units as a person starts them."""

    @classmethod
    def setUpClass(cls):
        cls.machine = machine("served", "systemd systemd-sysv dbus dbus-user-session libpam-systemd curl procps xz-utils")
        cls.machine.root("apt-get -q install /home/ada/dist/pet_*.deb")
        with tarfile.open(made("pet-*.tar.xz")) as archive:
            archive.extractall(cls.machine.folder / "home/ben")
        cls.machine.root("chown -R ben:ben /home/ben")
        cls.machine.person("pet-*/install --prefix ~/.local", user="ben")

    def test_the_daemon_comes_with_the_first_request_and_obeys(self):
        shown = [command for command in guide("systemd") if "edit" not in command]
        rows = re.findall(r"^\| `(systemctl --user (?:reload|kill)[^`]*)`", (FOLDER / "README.md").read_text(), re.MULTILINE)
        self.assertGreaterEqual(len(rows), 2)
        commands = [
            "systemctl --user daemon-reload", *shown,
            "systemctl --user is-active petd.service petd.socket",
            f"curl -sS --fail-with-body --unix-socket {SOCKET} http://pet/v1/chat/completions "
            "-d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello strawberry!\"}]}'",
            "echo 'My name is Ada.' | pet chat", "pet top --once", *rows,
            f"curl -sS --fail-with-body --unix-socket {SOCKET} http://pet/health",
            "systemctl --user show petd.service --property=Result,NRestarts,SubState,MainPID",
            "grep -E '^(NoNewPrivs|Seccomp):' /proc/$(systemctl --user show petd.service --property=MainPID --value)/status",
            "test \"$(readlink /proc/$(systemctl --user show petd.service --property=MainPID --value)/ns/net)\" != \"$(readlink /proc/self/ns/net)\"",
            "systemctl --user stop petd.service",
            f"curl -sS --fail-with-body --unix-socket {SOCKET} http://pet/health",
            "for try in $(seq 20); do systemctl --user --quiet is-active petd.service && break; sleep 0.5; done; "
            "systemctl --user is-active petd.service",
            "systemctl --user disable --now petd.socket petd.service"]
        results = self.booted("ada", commands)
        for command, (status, output) in zip(commands, results):
            self.assertEqual(status, 0, f"{command}: {output}\n{self.told}")
        said = dict(zip(commands, (output for _, output in results)))
        self.assertIn('"content"', said[commands[len(shown) + 2]])
        self.assertIn("Ada", said["echo 'My name is Ada.' | pet chat"])
        state = said["systemctl --user show petd.service --property=Result,NRestarts,SubState,MainPID"]
        self.assertIn("Result=success", state)
        self.assertIn("NRestarts=0", state)
        self.assertIn("SubState=running", state)
        # It says that it is ready, and seals itself as it does elsewhere.
        self.assertEqual(said["systemctl --user is-active petd.service petd.socket"].split(), ["active", "active"])
        self.assertIn("Processing Locally (enforced)", said["pet top --once"])
        # No word of what was said is in the journal.
        self.assertIn("petd", self.told)
        self.assertNotIn("strawberry", self.told.split("JOURNAL")[1].lower())

    def test_one_that_lies_in_a_home_serves_too(self):
        commands = [
            "systemctl --user daemon-reload", "systemctl --user enable --now petd.socket",
            f"curl -sS --fail-with-body --unix-socket {SOCKET} http://pet/health",
            "systemctl --user show petd.service --property=ExecStart",
            "systemctl --user disable --now petd.socket petd.service"]
        results = self.booted("ben", commands)
        for command, (status, output) in zip(commands, results):
            self.assertEqual(status, 0, f"{command}: {output}\n{self.told}")
        self.assertIn("/home/ben/.local/bin/petd", results[3][1])

    def booted(self, user, commands):
        """[(status, output)] of the commands, by a person who is there while nobody is logged in."""
        lines = "\n".join(
            f"{{ {command}\n}} >~/out 2>&1 </dev/null; echo \"=== {number} $?\"; cat ~/out; echo" for number, command in enumerate(commands))
        self.machine.write(f"home/{user}/commands", "export XDG_RUNTIME_DIR=/run/user/$(id -u)\ncd\n" + lines + "\n")
        self.told = self.machine.start(f"""loginctl enable-linger {user}
for try in $(seq 30); do [ ! -S /run/user/$(id -u {user})/systemd/private ] || break; sleep 1; done
runuser --login {user} --command 'sh commands'
echo === JOURNAL
journalctl --no-pager _UID=$(id -u {user})
""")
        parts = re.split(r"^=== (\d+) (\d+)\n", self.told.split("=== JOURNAL")[0], flags=re.MULTILINE)
        found = [(int(status), output) for status, output in zip(parts[2::3], parts[3::3])]
        self.assertEqual(len(found), len(commands), self.told)
        return found


class RemovalTests(unittest.TestCase):
    """What is left."""

    def test_nothing_stays_but_what_the_person_made(self):
        here = machine("removed")
        before = here.files()
        here.root("apt-get -q install /home/ada/dist/pet_*.deb")
        here.person("pet chat --profile watch", input="My name is Ada.\n")
        here.person("pet doctor")
        purge = [command for command in guide("Debian package") if "purge" in command]
        self.assertEqual(len(purge), 1)
        here.shown(purge[0])
        left = here.files() - before
        self.assertTrue(left)
        for path in left:
            self.assertTrue(path == "/home/ada/.local" or path.startswith(("/home/ada/.local/share")), sorted(left))
        self.assertEqual(before - here.files(), set())

    def test_the_program_removes_what_the_person_made(self):
        here = machine("emptied")
        here.root("apt-get -q install /home/ada/dist/pet_*.deb")
        before = here.files()
        here.person("pet chat --profile watch", input="My name is Ada.\n")
        here.person("pet uninstall --yes")
        self.assertLessEqual(here.files() - before, {"/home/ada/.local", "/home/ada/.local/share", "/home/ada/.local/share/pet"})

    def test_the_tarball_installs_and_goes(self):
        here = machine("unpacked", "xz-utils")
        # What the programs need, as its README says.
        with tarfile.open(made("pet-*.tar.xz")) as archive:
            readme = next(member for member in archive.getmembers() if member.name.endswith("/README"))
            names = re.search(r"^  (lib\w+.*)$", archive.extractfile(readme).read().decode(), re.MULTILINE)[1].replace(",", "")
        here.root(f"apt-get -q install {names}")
        commands = guide("Tarball")
        here.person(commands[0])
        unpacked = here.files()
        for command in commands[1:]:
            here.person(command)
            if "--remove" not in command and "install" in command:
                installed = here.files()
        self.assertGreater(len(installed - unpacked), 50)
        left = {path for path in here.files() - unpacked if not (here.folder / path[1:]).is_dir()}
        self.assertLessEqual({path.split("/")[5] for path in left}, {"pet"}, sorted(left))


class ImageTests(unittest.TestCase):
    """The image, without an engine."""

    @classmethod
    def setUpClass(cls):
        images = sorted(PACKAGES.glob("*.oci.tar"))
        if not images:
            raise unittest.SkipTest("scripts/package --image makes an image")
        cls.layout = MACHINES / "layout"
        cls.layout.mkdir()
        subprocess.run(["tar", "-xf", images[0], "-C", cls.layout], check=True)
        index = json.loads((cls.layout / "index.json").read_text())
        cls.tag = index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        cls.manifest = cls.blob(index["manifests"][0]["digest"])
        cls.configuration = cls.blob(cls.manifest["config"]["digest"])
        subprocess.run(["umoci", "unpack", "--image", f"{cls.layout}:{cls.tag}", MACHINES / "image"], check=True, stdout=subprocess.DEVNULL)
        cls.machine = Machine(MACHINES / "image/rootfs")

    @classmethod
    def blob(cls, digest):
        return json.loads((cls.layout / "blobs" / digest.replace(":", "/")).read_text())

    def test_each_part_is_what_its_name_says(self):
        for path in (self.layout / "blobs/sha256").iterdir():
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.name)

    def test_it_runs_petd_as_nobody_special(self):
        config = self.configuration["config"]
        self.assertEqual((config["User"], config["Entrypoint"]), ("1000:1000", ["petd"]))
        self.assertIn("PET_HOME=/var/lib/pet", config["Env"])
        self.assertEqual(list(config["Volumes"]), ["/var/lib/pet"])
        self.assertEqual(len(self.manifest["layers"]), 2)

    def test_the_daemon_in_it_answers(self):
        told = self.machine.root("""export PET_HOME=/var/lib/pet
chroot --userspec=1000:1000 / petd --profile watch 2>/tmp/log & daemon=$!
for try in $(seq 100); do [ ! -S /var/lib/pet/petd.sock ] || break; sleep 0.1; done
chroot --userspec=1000:1000 / curl -sS --fail-with-body --unix-socket /var/lib/pet/petd.sock http://pet/health
chroot --userspec=1000:1000 / curl -sS --fail-with-body --unix-socket /var/lib/pet/petd.sock http://pet/v1/chat/completions \
  -d '{"messages": [{"role": "user", "content": "Hello!"}]}'
kill $daemon; wait $daemon; echo "ended with $?" """).stdout
        self.assertIn('"content"', told)
        self.assertIn("ended with 0", told)

    def test_its_files_are_those_of_the_package_and_few_others(self):
        listing = subprocess.run(["dpkg-deb", "--fsys-tarfile", made("pet_*.deb")], check=True, capture_output=True).stdout
        with tempfile.NamedTemporaryFile() as file:
            file.write(listing)
            file.flush()
            with tarfile.open(file.name) as archive:
                names = [member.name[1:] for member in archive.getmembers() if member.isfile()]
        for name in names:
            inside = (self.machine.folder / name[1:]).exists()
            left_out = name.startswith(("/usr/share/man/", "/usr/share/lintian/", "/usr/lib/systemd/"))
            self.assertEqual(inside, not left_out, name)
        self.assertFalse((self.machine.folder / "usr/bin/apt-get").exists())
        self.assertEqual(os.stat(self.machine.folder / "var/lib/pet").st_uid, 1000)
        self.assertIn("Package: pet\n", (self.machine.folder / "var/lib/dpkg/status.d/pet").read_text())


class GuideTests(unittest.TestCase):
    def test_every_section_with_commands_is_run_by_a_test(self):
        text = (FOLDER / "README.md").read_text()
        sections = {part.split("\n")[0] for part in text.split("\n## ")[1:] if "```sh\n" in part}
        # Of an engine the options are those of `docker run`; what is in the image is tested above.
        self.assertEqual(sections, {"Debian package", "Tarball", "systemd", "Image", "Docker"})


if __name__ == "__main__":
    unittest.main()
