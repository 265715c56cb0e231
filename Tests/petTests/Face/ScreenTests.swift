// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Testing
import PetCommandLine
import pet

@Suite("How a conversation is shown")
struct ScreenTests {
  private static func screen(
    _ environment: [String: String], isPlain: Bool = false, isTerminal: Bool = true, allowsColour: Bool = true,
    columns: Int? = 80
  ) -> Screen {
    Screen(
      isPlain: isPlain, isTerminal: isTerminal, allowsColour: allowsColour, columns: columns, environment: environment)
  }

  @Test(
    "Unicode where the locale has it and the terminal can show it",
    arguments: [
      (["LANG": "en_US.UTF-8"], Screen.Form.unicode), (["LANG": "de_DE.utf8", "TERM": "xterm"], .unicode),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], .ascii), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], .unicode),
      (["LANG": "en_US.ISO-8859-1"], .ascii), ([:], .ascii), (["LANG": "en_US.UTF-8", "TERM": "linux"], .ascii),
      (["LANG": "en_US.UTF-8", "TERM": "dumb"], .ascii),
    ])
  func form(environment: [String: String], expected: Screen.Form) {
    #expect(Self.screen(environment).form == expected)
    #expect(Self.screen(environment, isTerminal: false).form == .bare)
    #expect(Self.screen(environment, isPlain: true).form == .spoken)
    #expect(Self.screen(environment, isPlain: true, isTerminal: false).form == .spoken)
  }

  @Test(
    "as many colours as the terminal names",
    arguments: [
      (["TERM": "xterm-256color"], ColourDepth.extended), (["TERM": "xterm"], .basic), ([:], .basic),
      (["TERM": "screen", "COLORTERM": "truecolor"], .extended), (["COLORTERM": "no"], .basic),
    ])
  func depth(environment: [String: String], expected: ColourDepth) {
    #expect(ColourDepth(isAllowed: true, environment: environment) == expected)
    #expect(ColourDepth(isAllowed: false, environment: environment) == .none)
    // Where nothing is drawn nothing is coloured.
    for screen in [Self.screen(environment, isPlain: true), Self.screen(environment, isTerminal: false)] {
      #expect(screen.colours == .none)
    }
  }

  @Test("any number of columns is taken", arguments: [Int.min, -1, 0, 1, 12, 40, 60, 80, 1000, .max])
  func columns(_ columns: Int) {
    let screen = Self.screen([:], columns: columns)
    #expect(Screen.columnRange.contains(screen.columns))
    if (13...100).contains(columns) { #expect(screen.columns == columns - 1) }
    #expect(Self.screen([:], columns: nil).columns == 79)
  }

  @Test(
    "no colour where NO_COLOR is set or the terminal is dumb, no drawing where there is no terminal",
    .enabled(if: PseudoTerminal.isAvailable, "no pseudo-terminal can be had here (is /dev/pts mounted?)"))
  func terminal() throws {
    let terminal = try PseudoTerminal()
    let output = Output(descriptor: terminal.line)
    let colourful = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]
    #expect(Screen(isPlain: false, output: output, environment: colourful).colours == .extended)
    for (key, value) in [("NO_COLOR", "1"), ("NO_COLOR", "0"), ("TERM", "dumb")] {
      var environment = colourful
      environment[key] = value
      #expect(Screen(isPlain: false, output: output, environment: environment).colours == .none)
    }
    #expect(
      Screen(isPlain: false, output: output, environment: colourful.merging(["NO_COLOR": ""]) { $1 }).colours
        == .extended)
    let file = open("/dev/null", O_WRONLY)
    defer { close(file) }
    let piped = Screen(isPlain: false, output: Output(descriptor: file), environment: colourful)
    #expect(piped.form == .bare && piped.colours == .none)
  }
}
