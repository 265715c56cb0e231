// SPDX-License-Identifier: Apache-2.0
import PetFiles
import Testing

import PetInference
import PetJSON

@Suite struct SafetensorsFileTests {
  private func problem(_ bytes: [UInt8]) throws -> SafetensorsProblem? {
    let scratch = try ScratchFolder()
    let path = try scratch.write(bytes, to: "x.safetensors")
    do {
      _ = try SafetensorsFile(path: path)
      return nil
    } catch ImportError.safetensors(let named, let problem) {
      #expect(named == path)
      return problem
    }
  }

  private static let one = #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#

  @Test func readsTensors() throws {
    let scratch = try ScratchFolder()
    let header =
      #"{"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[1,3],"data_offsets":[8,14]},"#
      + #""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"e":{"dtype":"F16","shape":[0],"data_offsets":[8,8]}}   "#
    let path = try scratch.write(safetensors(header, data: Array(0..<14)), to: "x.safetensors")
    let file = try SafetensorsFile(path: path)
    #expect(file.tensors.map(\.name) == ["a", "e", "b"])
    #expect(file.tensors[2].shape == [1, 3] && file.tensors[2].type == .bf16)
    var found = [UInt8](repeating: 0, count: 4)
    try found.withUnsafeMutableBytes { try file.read(file.tensors[2], at: 1, into: $0) }
    #expect(found == [9, 10, 11, 12])
    #expect(throws: FileError.self) {
      try found.withUnsafeMutableBytes { try file.read(file.tensors[2], at: 3, into: $0) }
    }
  }

  @Test func rejectsSizesThatLeaveTheFile() throws {
    #expect(try problem([]) == .tooShort(size: 0))
    #expect(try problem([1, 2, 3, 4]) == .tooShort(size: 4))
    #expect(try problem(safetensors("{}", size: 100_000_001)) == .headerTooLarge(size: 100_000_001, limit: 100_000_000))
    #expect(try problem(safetensors("{}", size: .max)) == .headerTooLarge(size: .max, limit: 100_000_000))
    #expect(try problem(safetensors("{}", size: 3)) == .headerBeyondFile(size: 3, fileSize: 10))
  }

  @Test func rejectsPolyglots() throws {
    // Another format's magic in front, and another file's bytes behind: the published polyglot tricks.
    #expect(try problem(Array("PK\u{3}\u{4}".utf8) + [0, 0, 0, 0] + Array("{}".utf8)) != nil)
    #expect(try problem(safetensors("  {}")) == .headerNotObject)
    #expect(try problem(safetensors("GIF89a{}")) == .headerNotObject)
    #expect(try problem(safetensors("{}", data: Array("PK".utf8))) == .trailingBytes(count: 2))
    #expect(try problem(safetensors(Self.one, data: Array(0..<9))) == .trailingBytes(count: 1))
    guard case .malformedHeader = try problem(safetensors("{}PK")) else {
      Issue.record("text after the header was accepted")
      return
    }
  }

  @Test func rejectsDuplicateKeys() throws {
    let entry = #""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#
    for header in [
      "{\(entry),\(entry)}", "{\(entry),\"\\u0061\":{}}",
      #"{"a":{"dtype":"F32","dtype":"F16","shape":[2],"data_offsets":[0,8]}}"#,
      #"{"__metadata__":{"x":"1","x":"2"}}"#,
    ] {
      guard case .malformedHeader(let error) = try problem(safetensors(header, data: Array(0..<8))) else {
        Issue.record("accepted \(header)")
        continue
      }
      guard case .syntax(1, _, "a key is given twice") = error else {
        Issue.record("\(header): \(error)")
        continue
      }
    }
  }

  @Test func rejectsHolesAndOverlaps() throws {
    func two(_ a: String, _ b: String) -> String {
      "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":\(a)},"
        + "\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":\(b)}}"
    }
    let data = [UInt8](repeating: 0, count: 12)
    #expect(
      try problem(safetensors(two("[0,4]", "[8,12]"), data: data)) == .hole(tensor: "b", begin: 8, previousEnd: 4))
    #expect(
      try problem(safetensors(two("[4,8]", "[8,12]"), data: data)) == .hole(tensor: "a", begin: 4, previousEnd: 0))
    #expect(
      try problem(safetensors(two("[0,4]", "[2,6]"), data: data)) == .overlap(tensor: "b", begin: 2, previousEnd: 4))
    #expect(
      try problem(safetensors(two("[0,4]", "[0,4]"), data: data)) == .overlap(tensor: "b", begin: 0, previousEnd: 4))
  }

  @Test(arguments: [
    #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,16]}}"#,
    #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#,
    #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}"#,
    #"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[-2,-1],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904,0],"data_offsets":[0,0]}}"#,
    #"{"a":{"dtype":"F32","shape":[18446744073709551618],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}"#,
    #"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}"#,
    #"{"a":{"dtype":"F32","shape":[2]}}"#,
    #"{"a":{"shape":[2],"data_offsets":[0,8]}}"#,
    #"{"a\n":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#,
    #"{"":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#,
    #"{"__metadata__":{"x":1}}"#,
    #"{"a":[]}"#, "{", "{\"a\"", "{\"a\":", "{]", "{\"a\":NaN}", "{'a':1}", "{\"\u{1}\":1}", "{\"\\ud800\":1}",
  ])
  func rejectsMalformedHeader(_ header: String) throws {
    #expect(try problem(safetensors(header, data: [UInt8](repeating: 0, count: 8))) != nil)
  }

  @Test func rejectsDeepNesting() throws {
    let deep = String(repeating: "[", count: 100_000)
    guard case .malformedHeader = try problem(safetensors("{\"__metadata__\":{\"a\":" + deep)) else {
      Issue.record("a text of 100,000 levels was read")
      return
    }
    let scratch = try ScratchFolder()
    let path = try scratch.write(Array(deep.utf8), to: "config.json")
    let error = ImportError.malformedJSON(path: path, .tooLarge(.nesting, limit: 32))
    #expect(throws: error) { try ConfigurationFile(path: path) }
    #expect("\(error)" == "\(path): JSON of more than 32 levels of nesting; is it the right file?")
  }

  /// Every prefix and every damaged byte of a good file is refused or read, never a trap.
  @Test func survivesDamage() throws {
    let good = safetensors(Self.one, data: Array(0..<8))
    for length in 0..<good.count { #expect(try problem(Array(good[..<length])) != nil) }
    var state: UInt64 = 42
    for _ in 0..<400 {
      var bad = good
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bad[Int(state >> 33) % bad.count] = UInt8(truncatingIfNeeded: state >> 25)
      }
      _ = try problem(bad)
    }
  }
}
