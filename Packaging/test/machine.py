# SPDX-License-Identifier: Apache-2.0
"""A bare Debian 12 in a folder, in which commands are run as a person or as root, and which can be started with its own systemd."""

import os
import shutil
import subprocess
from pathlib import Path

# Without it, where debootstrap takes packages from.
MIRROR = [os.environ["PET_DEBIAN_MIRROR"]] if os.environ.get("PET_DEBIAN_MIRROR") else []
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What apt and dpkg write about themselves, and what libraries leave in a cache.
BOOKS = ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/lib/apt", "/var/lib/dpkg", "/var/cache", "/var/log", "/etc/ld.so.cache")

INSIDE = """
mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && shift && exec "$@"
"""

# Runs once the machine is up, and switches it off.
CHECK = """[Unit]
After=multi-user.target systemd-logind.service
SuccessAction=poweroff
FailureAction=poweroff

[Service]
Type=oneshot
ExecStart=/bin/sh /root/check
StandardOutput=file:/root/check.out
StandardError=file:/root/check.out
TimeoutStartSec=300
"""


class Machine:
    def __init__(self, folder):
        self.folder = Path(folder)

    @classmethod
    def bare(cls, folder):
        """As debootstrap makes it, with two people."""
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, *MIRROR], check=True, stdout=subprocess.DEVNULL)
        machine = cls(folder)
        machine.write("etc/apt/apt.conf.d/90test", 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\nDpkg::Use-Pty "0";\n')
        shutil.copy("/etc/resolv.conf", machine.folder / "etc/resolv.conf")
        machine.root("apt-get -q update && useradd --create-home --shell /bin/bash ada && useradd --create-home --shell /bin/bash ben")
        return machine

    def copy(self, folder):
        subprocess.run(["cp", "--archive", "--reflink=auto", self.folder, folder], check=True)
        return Machine(folder)

    def remove(self):
        shutil.rmtree(self.folder)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, command, user, input="", check=True):
        """What a shell of this user makes of the command; mounts end with it."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        variables |= {"HOME": home, "PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "USER": user}
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INSIDE, "sh", self.folder, "chroot"]
        if user != "root":
            words.append(f"--userspec={user}:{user}")
        result = subprocess.run([*words, self.folder, "/bin/sh", "-c", f"cd && {command}"], env=variables, input=input, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and result.returncode:
            raise AssertionError(f"{command}\nended with {result.returncode}\n{result.stdout}{result.stderr}")
        return result

    def root(self, command, **options):
        return self.run(command, "root", **options)

    def person(self, command, user="ada", **options):
        return self.run(command, user, **options)

    def shown(self, command, **options):
        """A command as a page shows it to a person."""
        if command.startswith("sudo "):
            return self.root(f"cd /home/ada && {command.removeprefix('sudo ')}", **options)
        return self.person(command, **options)

    def files(self):
        """What there is, but for the books of apt and dpkg."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            inside = "/" + os.path.relpath(folder, self.folder) if folder != str(self.folder) else ""
            folders[:] = [name for name in folders if f"{inside}/{name}" not in BOOKS]
            found |= {f"{inside}/{name}" for name in folders + files if f"{inside}/{name}" not in BOOKS}
        return found

    def start(self, script):
        """Starts the machine's systemd, runs the script as root once it is up, and switches it off. What the script said."""
        # A unit that sees no other processes mounts a /proc of its own; the kernel refuses that where parts of the one before are covered,
        # as in a container, and not on a machine.
        self.write("root/check", "umount /proc/kmsg /proc/sys/kernel/random/boot_id\n" + script)
        self.write("etc/systemd/system/check.service", CHECK)
        wanted = self.folder / "etc/systemd/system/multi-user.target.wants/check.service"
        wanted.parent.mkdir(parents=True, exist_ok=True)
        wanted.unlink(missing_ok=True)
        wanted.symlink_to("../check.service")
        result = subprocess.run(
            ["systemd-nspawn", "--quiet", "--directory", self.folder, "--register=no", "--keep-unit", "--console=pipe", "--boot"],
            env=os.environ | {"SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=420)
        output = self.folder / "root/check.out"
        if not output.exists():
            raise AssertionError(f"the machine did not come up:\n{result.stdout[-4000:]}")
        return output.read_text()
