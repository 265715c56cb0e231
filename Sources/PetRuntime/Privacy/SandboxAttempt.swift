// SPDX-License-Identifier: Apache-2.0
import CSandbox

/// Something that a sealed process must not be able to do, or must still be able to.
package struct SandboxAttempt: Sendable, Equatable {
  package enum Area: String, Sendable, CaseIterable {
    case network, processes, files, memory
    /// What goes on as before.
    case own
  }

  package let number: ps_try
  package let name: String
  package let area: Area
  /// What it is, for people.
  package let explanation: String

  package init(_ number: ps_try, _ name: String, _ area: Area, _ explanation: String) {
    self.number = number
    self.name = name
    self.area = area
    self.explanation = explanation
  }

  package init?(_ number: ps_try) {
    guard let found = Self.all.first(where: { $0.number == number }) else { return nil }
    self = found
  }

  package static func == (left: Self, right: Self) -> Bool { left.number == right.number }

  /// All of them, in the order in which they are shown.
  package static let all: [SandboxAttempt] = [
    .init(PS_TRY_TCP, "tcp", .network, "a TCP connection"),
    .init(PS_TRY_TCP6, "tcp6", .network, "a TCP socket of IPv6"),
    .init(PS_TRY_UDP, "udp", .network, "a UDP socket"),
    .init(PS_TRY_DNS, "dns", .network, "a way to a name server"),
    .init(PS_TRY_RAW, "raw", .network, "raw IP packets"),
    .init(PS_TRY_PING, "ping", .network, "an ICMP socket"),
    .init(PS_TRY_NETLINK, "netlink", .network, "netlink: routes, interfaces"),
    .init(PS_TRY_PACKET, "packet", .network, "packets of a network card"),
    .init(PS_TRY_VSOCK, "vsock", .network, "a socket to a virtual machine's host"),
    .init(PS_TRY_FAMILIES, "families", .network, "each other family of sockets"),
    .init(PS_TRY_PAIRS, "pairs", .network, "a pair of sockets of each other family"),
    .init(PS_TRY_UNIX_CONNECT, "unix-connect", .network, "a connection to another program of this machine"),
    .init(PS_TRY_UNIX_SEND, "unix-send", .network, "a datagram to another program of this machine"),
    .init(PS_TRY_PASS, "unix-pass", .network, "a descriptor handed to another program"),
    .init(PS_TRY_TAKE, "unix-take", .network, "a descriptor taken from another program"),
    .init(PS_TRY_LISTEN, "listen", .network, "a socket that others could come in by"),
    .init(PS_TRY_URING_SETUP, "io-uring-setup", .network, "an io_uring, which passes filters by"),
    .init(PS_TRY_URING_ENTER, "io-uring-enter", .network, "work in an io_uring"),
    .init(PS_TRY_URING_REGISTER, "io-uring-register", .network, "files for an io_uring"),
    .init(PS_TRY_X32, "x32", .network, "a socket by the numbers of x32"),
    .init(PS_TRY_INT80, "int80", .network, "a socket by a call of 32 bits"),
    .init(PS_TRY_EXEC, "exec", .processes, "another program in this process's place"),
    .init(PS_TRY_EXECAT, "execat", .processes, "the same by a descriptor"),
    .init(PS_TRY_FORK, "fork", .processes, "another process"),
    .init(PS_TRY_CLONE3, "clone3", .processes, "another process, by clone3"),
    .init(PS_TRY_PTRACE, "ptrace", .processes, "hold of another process, as debuggers have it"),
    .init(PS_TRY_VM_READ, "vm-read", .processes, "a look into another process's memory"),
    .init(PS_TRY_VM_WRITE, "vm-write", .processes, "a change of another process's memory"),
    .init(PS_TRY_GETFD, "getfd", .processes, "a file that another process has open"),
    .init(PS_TRY_KILL, "kill", .processes, "a signal to another process"),
    .init(PS_TRY_KILL_THREAD, "kill-thread", .processes, "a signal to a thread of another process"),
    .init(PS_TRY_KILL_GROUP, "kill-group", .processes, "a signal to its process group"),
    .init(PS_TRY_PIDFD_SIGNAL, "pidfd-signal", .processes, "a signal to another process, by a descriptor of it"),
    .init(PS_TRY_OWNER, "signal-owner", .processes, "signals to another process, by a pipe that it owns"),
    .init(PS_TRY_MESSAGES, "message-queue", .processes, "a message queue of System V"),
    .init(PS_TRY_SHARED_MEMORY, "shared-memory", .processes, "shared memory of System V"),
    .init(PS_TRY_SEMAPHORES, "semaphores", .processes, "semaphores of System V"),
    .init(PS_TRY_QUEUE, "posix-queue", .processes, "a message queue of POSIX"),
    .init(PS_TRY_KEY, "key", .processes, "a key in the kernel's keyrings"),
    .init(PS_TRY_LIMIT, "limit", .processes, "a limit of another process"),
    .init(PS_TRY_SCHEDULER, "scheduler", .processes, "how another process is scheduled"),
    .init(PS_TRY_AFFINITY, "affinity", .processes, "the processors of another process"),
    .init(PS_TRY_PRIORITY, "priority", .processes, "the priority of another process"),
    .init(PS_TRY_IO_PRIORITY, "io-priority", .processes, "its priority at disks"),
    .init(PS_TRY_NAMESPACE, "unshare", .processes, "a view of its own: files, users, networks"),
    .init(PS_TRY_BPF, "bpf", .processes, "a program for the kernel"),
    .init(PS_TRY_PERF, "perf", .processes, "counters of the processor"),
    .init(PS_TRY_FAULTS, "userfaultfd", .processes, "handling page faults by itself"),
    .init(PS_TRY_NAME, "thread-name", .processes, "a name of a thread, which every user can read"),
    .init(PS_TRY_TYPE_AHEAD, "type-ahead", .processes, "words typed into the terminal, for the shell to run"),
    .init(PS_TRY_READ, "read", .files, "reading a file outside its folders"),
    .init(PS_TRY_LIST, "list", .files, "listing a folder outside"),
    .init(PS_TRY_WRITE, "write", .files, "writing a file outside"),
    .init(PS_TRY_TRUNCATE, "truncate", .files, "cutting a file outside short"),
    .init(PS_TRY_CREATE, "create", .files, "making a file outside"),
    .init(PS_TRY_REMOVE, "remove", .files, "removing a file outside"),
    .init(PS_TRY_RENAME, "move-out", .files, "moving a file of its own outside"),
    .init(PS_TRY_LINK, "link-out", .files, "a second name for it outside"),
    .init(PS_TRY_RIGHTS, "rights", .files, "changing who may read a file outside"),
    .init(PS_TRY_RIGHTS_AT, "rights-at", .files, "the same by fchmodat"),
    .init(PS_TRY_RIGHTS_AT2, "rights-at2", .files, "the same by fchmodat2"),
    .init(PS_TRY_OWNERSHIP, "ownership", .files, "changing whose a file outside is"),
    .init(PS_TRY_ATTRIBUTE, "attribute", .files, "words in an attribute of a file outside"),
    .init(PS_TRY_DATES, "dates", .files, "changing the dates of a file outside"),
    .init(PS_TRY_PIPE, "named-pipe", .files, "making a named pipe outside"),
    .init(PS_TRY_SYMLINK, "symlink", .files, "making a symbolic link outside"),
    .init(PS_TRY_SET_USER, "set-user", .files, "a file that runs with its owner's rights"),
    .init(PS_TRY_WATCH, "watch", .files, "watching a folder outside"),
    .init(PS_TRY_WATCH_ALL, "watch-all", .files, "watching whole file systems"),
    .init(PS_TRY_HANDLE, "handle", .files, "a handle of a file outside, which needs no path"),
    .init(PS_TRY_INHERITED, "inherited", .files, "writing to a file that was open when it was started"),
    .init(PS_TRY_PROC_ENVIRON, "proc-environ", .files, "the environment of another process"),
    .init(PS_TRY_PROC_MEM, "proc-mem", .files, "the memory of another process, as a file"),
    .init(PS_TRY_CORE, "core", .memory, "a core dump"),
    .init(PS_TRY_DUMPABLE, "dumpable", .memory, "allowing dumps again"),
    .init(PS_TRY_EXECUTABLE, "executable", .memory, "memory that can be written and run"),
    .init(PS_TRY_MADE_EXECUTABLE, "made-executable", .memory, "memory that was written, then run"),
    .init(PS_TRY_FILE_EXECUTABLE, "file-executable", .memory, "a file in memory, mapped to run"),
    .init(PS_TRY_PERSONALITY, "personality", .memory, "all that is read may be run, by its personality"),
    .init(PS_TRY_OWN_READ, "own-read", .own, "reading its own folder"),
    .init(PS_TRY_OWN_WRITE, "own-write", .own, "writing there"),
    .init(PS_TRY_THREAD, "thread", .own, "another thread"),
    .init(PS_TRY_UNIX_SOCKET, "unix-socket", .own, "a Unix socket"),
  ]
}
