# SPDX-License-Identifier: Apache-2.0
"""This machine: what it is, what it can do at most, what else it is doing, and its page cache."""
import ctypes
import json
import mmap
import os
import platform
import subprocess
import time
from pathlib import Path

from peer_builds import compile_c

HERE = Path(__file__).resolve().parent
PEAKS = HERE.parent / "micro" / "Sources" / "CMachinePeaks"
QUIET = 0.5  # load average above which figures are doubtful


def facts():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), "unknown")
    memory = int(next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if "MemTotal" in line))
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_gb": round(memory * 1024 / 1e9, 1),
            "system": platform.system() + " " + platform.release(), "load_at_start": os.getloadavg()[0], "commit": commit()}


def commit():
    """The commit of the source, with a + where files differ from it; None outside of a clone."""
    def git(*words):
        return subprocess.run(["git", "-C", str(HERE), *words], capture_output=True, text=True, check=True).stdout.strip()
    try:
        return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no", "--", ":/Sources", ":/Models", ":/prompts") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def busy_seconds():
    """Seconds of processor time that everybody, and other guests of the host (steal), have used so far."""
    fields = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0].split()[1:]
    user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Others:
    """How much of the machine others use from here on."""

    def __init__(self):
        self.used, self.start = self.seconds(), time.monotonic()

    @staticmethod
    def seconds():
        t = os.times()
        return busy_seconds() - (t.user + t.system + t.children_user + t.children_system)

    def share(self):
        return max(0.0, (self.seconds() - self.used) / ((time.monotonic() - self.start) * os.cpu_count()))


def measure_peaks(cache, sizes, seconds, progress):
    """Read bandwidth for `sizes` (MiB), int8 and float arithmetic, on one and two threads."""
    program = compile_c(cache / "peaks", [*sorted(PEAKS.glob("*.c")), HERE / "peaks_main.c"],
                        [f"-I{PEAKS / 'include'}", f"-I{PEAKS}", "-pthread"], progress)
    progress.step("what the machine can do at most")
    done = subprocess.run([str(program), str(seconds), *map(str, sizes)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def read_bandwidth(peaks, bytes_per_token):
    """GB/s to judge a model by: the best of the sizes that are at least half of what a token reads (a smaller one may lie
    in a cache that the model does not fit), over all numbers of threads."""
    found = {int(size): speed for row in peaks for size, speed in row["read_gb_per_second"].items() if speed > 0}
    for row in peaks:
        for size, speed in row["read_gb_per_second"].items():
            found[int(size)] = max(found[int(size)], speed)
    fitting = [speed for size, speed in found.items() if size << 20 >= bytes_per_token / 2]
    return max(fitting or [found[max(found)]])


def libraries(program):
    """The files that the loader maps for a program, itself included."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True)
    words = [w for line in done.stdout.splitlines() for w in line.split() if w.startswith("/")]
    return [Path(program), *map(Path, words)]


def drop_from_page_cache(path):
    """Asks the kernel to forget a file's pages. Needs no privilege; pages that a process has mapped stay."""
    with open(path, "rb") as file:
        os.fdatasync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached_share(path):
    """How much of a file lies in the page cache (mincore(2)), 0 to 1."""
    size = os.path.getsize(path)
    pages = (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    library.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    with open(path, "rb") as file:
        address = library.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    try:
        vector = ctypes.create_string_buffer(pages)
        if library.mincore(address, size, vector) != 0:
            raise OSError(ctypes.get_errno(), "mincore")
        return sum(byte & 1 for byte in vector.raw) / pages
    finally:
        library.munmap(address, size)
