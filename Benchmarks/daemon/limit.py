# SPDX-License-Identifier: Apache-2.0
"""A hard bound on the memory of a process: a control group where one can be made, else a limit on its data."""
import contextlib
import os
import resource
import secrets
from pathlib import Path

UNIFIED, MEMORY = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory")


class ControlGroup:
    """All that the kernel charges to it, pages of files included; beyond the bound, what cannot be given back is killed for."""

    def __init__(self, folder, bound, limit_file, peak_file):
        self.folder, self.peak_file = folder, folder / peak_file
        folder.mkdir()
        try:
            # Not made anew: where the folder is a usual one, there is no such file.
            with open(folder / limit_file, "r+") as file:
                file.write(str(bound))
        except OSError:
            folder.rmdir()
            raise
        self.name = f"control group, {limit_file} = {bound}"

    def enter(self):
        """In the process that is to be bounded."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def peak(self):
        """Most bytes that were charged, with those that could have been given back."""
        try:
            return int(self.peak_file.read_text())
        except OSError:
            return None

    def close(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()


class DataLimit:
    """RLIMIT_DATA: private writable memory, resident or not; an allocation beyond it fails."""

    def __init__(self, bound):
        self.bound, self.name, self.peak = bound, f"RLIMIT_DATA = {bound} (no control group could be made)", None

    def enter(self):
        resource.setrlimit(resource.RLIMIT_DATA, (self.bound, self.bound))

    def close(self):
        pass


@contextlib.contextmanager
def bounded(bound):
    name = f"petd-{secrets.token_hex(4)}"
    limit = None
    for folder, files in ((UNIFIED, ("memory.max", "memory.peak")), (MEMORY, ("memory.limit_in_bytes", "memory.max_usage_in_bytes"))):
        with contextlib.suppress(OSError):
            limit = ControlGroup(folder / name, bound, *files)
            break
    limit = limit or DataLimit(bound)
    try:
        yield limit
    finally:
        limit.close()
