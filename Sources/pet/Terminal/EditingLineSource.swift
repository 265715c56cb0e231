// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import CLineEditor
import Glibc

/// Lines edited with libedit.
final class EditingLineSource: LineSource, @unchecked Sendable {  // confined to one reading thread at a time
  /// Why libedit's read came back without a line.
  enum Stop: Equatable {
    case none
    case interrupted
    case cancelled
    case dying(Int32)
  }

  let wake: WakePipe
  let commands: [String]
  private let arguments: @Sendable (String) -> CommandCompletion
  var stop = Stop.none
  /// Owned; libedit reads it whenever it redraws.
  private(set) var prompt: UnsafeMutablePointer<CChar>?
  private let editor: OpaquePointer
  private let recalled: OpaquePointer?
  private let history: HistoryFile?
  private let interjections: Interjections
  private let input: Int32
  private let output: Output
  private var hint: LeaveHint
  private var lastRemembered: String?
  /// The last line, of which it is not known yet whether it may be written down.
  private var unsettled: String?

  /// nil when libedit cannot work with this terminal.
  init?(
    input: Int32, output: Int32, terminal: String, commands: [String],
    arguments: @escaping @Sendable (String) -> CommandCompletion, history: HistoryFile?,
    interjections: Interjections, wake: WakePipe, leaveHint: String
  ) {
    Self.useUTF8Locale()
    guard let editor = cle_init("pet", input, output, terminal) else { return nil }
    self.editor = editor
    self.input = input
    self.output = Output(descriptor: output)
    self.wake = wake
    self.commands = commands.sorted()
    self.arguments = arguments
    self.history = history
    self.interjections = interjections
    hint = LeaveHint(leaveHint)
    recalled = history_init()
    cle_set_client(editor, Unmanaged.passUnretained(self).toOpaque())
    cle_set_defaults(editor)
    cle_set_prompt(editor) { EditingLineSource.client(of: $0)?.prompt }
    cle_set_reader(editor) { EditingLineSource.client(of: $0)?.readCharacter(into: $1) ?? -1 }
    cle_bind_tab(editor) { editor, _ in EditingLineSource.client(of: editor)?.complete() ?? UInt8(CC_ERROR) }
    cle_bind_paste(editor) { editor, _ in EditingLineSource.client(of: editor)?.paste() ?? UInt8(CC_ERROR) }
    cle_bind_words(editor)
    if let recalled {
      cle_history_set_size(recalled, Int32(HistoryFile.lineLimit))
      cle_use_history(editor, recalled)
      for line in history?.load() ?? [] { cle_history_enter(recalled, line) }
    }
    // A person's own key bindings (~/.editrc) come last and win.
    _ = el_source(editor, nil)
  }

  deinit {
    cle_end(editor)
    if let recalled { history_end(recalled) }
    free(prompt)
  }

  func wants(signal: Int32) -> Bool { true }

  func readLine(prompt: String) throws -> String? {
    free(self.prompt)
    self.prompt = strdup(prompt)
    output.write(BracketedPaste.on)
    defer { output.write(BracketedPaste.off) }
    while true {
      stop = .none
      // libedit would only do so behind the prompt: what is typed in between would be echoed twice.
      cle_prepare_terminal(editor, 1)
      var count: Int32 = 0
      let line = el_gets(editor, &count).map { String(cString: $0) }
      switch stop {
      case .none:
        guard let line, count > 0 else {
          output.write("\n")
          return nil
        }
        let text = line.hasSuffix("\n") ? String(line.dropLast()) : line
        remember(text)
        return text
      case .interrupted:
        output.write("^C\n")
        if let text = hint.interrupted(lineWasEmpty: lineWasEmpty) { output.writeLine(text) }
      case .cancelled:
        output.write("\n")
        throw CancellationError()
      case .dying(let number):
        // libedit gave the terminal back when el_gets returned.
        output.write("\n" + BracketedPaste.off)
        ProcessSignals.die(of: number)
      }
    }
  }

  private var lineWasEmpty = true

  func forgetHistory(saying words: String?) {
    (lastRemembered, unsettled) = (nil, nil)
    history?.erase(saying: words)
    guard let recalled else { return }
    cle_history_clear(recalled)
    for line in history?.load() ?? [] { cle_history_enter(recalled, line) }
  }

  private func remember(_ line: String) {
    unsettled = nil
    guard line.contains(where: { !$0.isWhitespace }), line != lastRemembered else { return }
    lastRemembered = line
    if let recalled { cle_history_enter(recalled, line) }
    unsettled = line
  }

  func settle(keeps: Bool) {
    if keeps, let unsettled { history?.append(unsettled) }
    unsettled = nil
  }

  /// libedit's read function: waits for the keyboard and for the wake pipe. 1 a character, 0 end of input, -1 stop.
  private func readCharacter(into character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    var decoder = UTF8CharacterDecoder()
    while true {
      var ready = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, -1) > 0 else { continue }
      while let byte = wake.receive() {
        if handle(wake: byte) { return -1 }
      }
      guard ready[0].revents != 0 else { continue }
      var byte: UInt8 = 0
      let count = read(input, &byte, 1)
      if count == 0 { return 0 }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return -1
      }
      if let scalar = decoder.decode(byte) {
        character?.pointee = wchar_t(scalar.value)
        return 1
      }
    }
  }

  /// Returns whether reading must stop.
  private func handle(wake byte: UInt8) -> Bool {
    switch Int32(byte) {
    case SIGINT:
      lineWasEmpty = el_line(editor).map { $0.pointee.buffer == $0.pointee.lastchar } ?? true
      stop = .interrupted
    case SIGTERM, SIGHUP, SIGQUIT: stop = .dying(Int32(byte))
    case Int32(LineWake.cancel): stop = .cancelled
    case Int32(LineWake.interject):
      let texts = interjections.take()
      guard !texts.isEmpty else { break }
      // From the start of the row down; libedit then draws prompt and line anew below.
      output.write("\r\u{1B}[J" + texts.joined())
      cle_refresh(editor)
    case SIGWINCH: el_resize(editor)
    case SIGCONT:
      // After Ctrl-Z and `fg` the shell has put the terminal into its own mode.
      cle_prepare_terminal(editor, 1)
      output.write(BracketedPaste.on)
      cle_refresh(editor)
    default: break
    }
    return stop != .none
  }

  /// Pasted text is part of one line, with the line ends that it has; nothing in it is a key.
  private func paste() -> UInt8 {
    var pasted = BracketedPaste()
    var character: wchar_t = 0
    while !pasted.isWhole {
      guard readCharacter(into: &character) == 1 else { return UInt8(CC_EOF) }
      if let scalar = Unicode.Scalar(UInt32(bitPattern: character)) { pasted.append(scalar) }
    }
    let text = pasted.text
    guard !text.isEmpty else { return UInt8(CC_NORM) }
    return el_insertstr(editor, text) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
  }

  private func complete() -> UInt8 {
    guard let line = el_line(editor)?.pointee, let start = line.buffer, let cursor = line.cursor else {
      return UInt8(CC_ERROR)
    }
    let typed = String(decoding: UnsafeRawBufferPointer(start: start, count: cursor - start), as: UTF8.self)
    let command = CommandCompletion.complete(typed, among: commands)
    switch command == .none ? arguments(typed) : command {
    case .none:
      return UInt8(CC_ERROR)
    case .insert(let rest):
      return el_insertstr(editor, rest) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
    case .choices(let names):
      output.write("\n" + names.joined(separator: "  ") + "\n")
      return UInt8(CC_REDISPLAY)
    }
  }

  private static func client(of editor: OpaquePointer?) -> EditingLineSource? {
    guard let pointer = cle_client(editor) else { return nil }
    return Unmanaged<EditingLineSource>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// libedit measures and encodes characters by the locale; where that is not UTF-8 we still are.
  private static func useUTF8Locale() {
    setlocale(LC_CTYPE, "")
    if let name = nl_langinfo(nl_item(CODESET)), String(cString: name) == "UTF-8" { return }
    setlocale(LC_CTYPE, "C.UTF-8")
  }
}
