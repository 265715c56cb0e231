// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import Glibc

/// A line that is typed without being shown.
enum SecretInput {
  private static let longest = 1024

  /// Asks on the terminal itself, so that input and output may be a pipe. Signals that end the program end it at once and leave the
  /// terminal as it was; Ctrl-Z and Ctrl-\ do nothing meanwhile.
  /// - Throws: `ValidationError` where there is no terminal.
  static func read(_ prompt: String) throws -> String {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else {
      throw ValidationError("there is no terminal to ask for the passphrase; set PET_PASSPHRASE")
    }
    defer { close(terminal) }
    var shown = termios()
    guard tcgetattr(terminal, &shown) == 0 else { throw ValidationError("the terminal cannot hide what is typed") }
    let handler = SignalMonitor.shared.push { [shown] number in
      guard number == SIGINT || number == SIGTERM || number == SIGHUP else { return false }
      var shown = shown
      tcsetattr(terminal, TCSAFLUSH, &shown)
      ProcessSignals.die(of: number)
      return true
    }
    defer { SignalMonitor.shared.remove(handler) }
    let (stop, quit) = (signal(SIGTSTP, SIG_IGN), signal(SIGQUIT, SIG_IGN))
    defer { _ = (signal(SIGTSTP, stop), signal(SIGQUIT, quit)) }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    guard tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 else {
      throw ValidationError("the terminal cannot hide what is typed")
    }
    defer { tcsetattr(terminal, TCSAFLUSH, &shown) }
    let output = Output(descriptor: terminal)
    output.write(prompt)
    var typed: [UInt8] = []
    var byte: UInt8 = 0
    while typed.count < longest {
      let count = Glibc.read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      typed.append(byte)
    }
    output.write("\n")
    return String(decoding: typed, as: UTF8.self)
  }
}
