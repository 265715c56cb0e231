// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import PetInference

@Suite struct GGUFWriterTests {
  private static func write(_ path: String, calls: FileSystemCalls = .system) throws {
    let tensors = [
      try GGUFTensorDeclaration(name: "a", dimensions: [3], type: PK_F32),
      try GGUFTensorDeclaration(name: "b", dimensions: [2, 2], type: PK_F16),
    ]
    let writer = try GGUFWriter(
      path: path,
      metadata: [
        ("general.architecture", .text("llama")), ("x.list", .texts([[0x61], []])), ("x.ids", .int32s([1, -1])),
        ("x.flag", .bool(true)),
      ],
      tensors: tensors, calls: calls)
    try [Float(1), 2, 3].withUnsafeBytes { try writer.append($0, toTensor: 0) }
    for half in [UInt16(1), 2, 3, 4] { try [half].withUnsafeBytes { try writer.append($0, toTensor: 1) } }
    try writer.finish()
  }

  /// The layout of the format, byte by byte.
  @Test func writesTheFormat() throws {
    let scratch = try ScratchFolder()
    try Self.write(scratch.path + "/x.gguf")
    func u32(_ value: UInt32) -> [UInt8] { littleEndianBytes(value) }
    func u64(_ value: UInt64) -> [UInt8] { littleEndianBytes(value) }
    func text(_ text: String) -> [UInt8] { u64(UInt64(text.utf8.count)) + text.utf8 }
    var expected = Array("GGUF".utf8) + u32(3) + u64(2) + u64(4)
    expected += text("general.architecture") + u32(8) + text("llama")
    expected += text("x.list") + u32(9) + u32(8) + u64(2) + text("a") + text("")
    expected += text("x.ids") + u32(9) + u32(5) + u64(2) + u32(1) + u32(.max)
    expected += text("x.flag") + u32(7) + [1]
    expected += text("a") + u32(1) + u64(3) + u32(0) + u64(0)
    expected += text("b") + u32(2) + u64(2) + u64(2) + u32(1) + u64(32)
    while expected.count % 32 != 0 { expected.append(0) }
    expected += [Float(1), 2, 3].flatMap { littleEndianBytes($0.bitPattern) } + [UInt8](repeating: 0, count: 20)
    expected += [1, 0, 2, 0, 3, 0, 4, 0] + [UInt8](repeating: 0, count: 24)
    #expect(try bytes(of: scratch.path + "/x.gguf") == expected)
    #expect(scratch.names == ["x.gguf"])
  }

  @Test func leavesNothingWhenTheDiskIsFull() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write([7], to: "x.gguf")
    var calls = FileSystemCalls.system
    calls.write = { _, _, _ in
      errno = ENOSPC
      return -1
    }
    #expect(throws: FileError(path: path, operation: "write", code: ENOSPC)) { try Self.write(path, calls: calls) }
    calls = .system
    calls.synchronize = { _ in
      errno = EIO
      return -1
    }
    #expect(throws: FileError(path: path, operation: "write", code: EIO)) {
      try Self.write(path, calls: calls)
    }
    calls = .system
    calls.rename = { _, _ in
      errno = EACCES
      return -1
    }
    #expect(throws: FileError(path: path, operation: "create", code: EACCES)) { try Self.write(path, calls: calls) }
    #expect(scratch.names == ["x.gguf"])
    #expect(try bytes(of: path) == [7])
  }

  @Test func survivesShortWrites() throws {
    let scratch = try ScratchFolder()
    var calls = FileSystemCalls.system
    calls.write = { FileSystemCalls.system.write($0, $1, min($2, 7)) }
    try Self.write(scratch.path + "/short.gguf", calls: calls)
    try Self.write(scratch.path + "/whole.gguf")
    #expect(try bytes(of: scratch.path + "/short.gguf") == bytes(of: scratch.path + "/whole.gguf"))
  }

  @Test func refusesAnImpossibleSizeAtOnce() throws {
    let scratch = try ScratchFolder()
    let huge = try GGUFTensorDeclaration(name: "a", dimensions: [1 << 50], type: PK_F32)
    #expect(throws: FileError(path: scratch.path + "/x", operation: "write", code: ENOSPC)) {
      _ = try GGUFWriter(path: scratch.path + "/x", metadata: [], tensors: [huge])
    }
    #expect(scratch.names == [])
  }

  @Test func replacesNoPipeNoFolderAndNoStandardOutput() throws {
    let scratch = try ScratchFolder()
    let (pipe, folder, open) = (scratch.path + "/pipe", scratch.path + "/folder", scratch.path + "/open")
    let link = scratch.path + "/link"
    let file = try scratch.write([7], to: "file")
    try #require(mkfifo(pipe, 0o600) == 0 && mkdir(folder, 0o700) == 0)
    try #require(symlink("/proc/self/fd/1", open) == 0 && symlink("file", link) == 0)
    for (path, code) in [(pipe, EINVAL), (folder, EISDIR), (open, EINVAL)] {
      #expect(throws: FileError(path: path, operation: "open", code: code)) { try Self.write(path) }
    }
    // A link to a file gives its place to the new one.
    try Self.write(link)
    #expect(try bytes(of: link).starts(with: Array("GGUF".utf8)) && bytes(of: file) == [7])
    #expect(scratch.names == ["file", "folder", "link", "open", "pipe"])
  }

  @Test func refusesTwoWritersOfOneFile() throws {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/x.gguf"
    let first = try GGUFWriter(path: path, metadata: [], tensors: [])
    #expect(throws: FileError(path: path, operation: "lock", code: EWOULDBLOCK)) { try Self.write(path) }
    try first.finish()
    #expect(scratch.names == ["x.gguf"])
  }

  @Test func checksSizesAndOrder() throws {
    let scratch = try ScratchFolder()
    let tensors = [
      try GGUFTensorDeclaration(name: "a", dimensions: [1], type: PK_F32),
      try GGUFTensorDeclaration(name: "b", dimensions: [1], type: PK_F32),
    ]
    let writer = try GGUFWriter(path: scratch.path + "/x", metadata: [], tensors: tensors)
    let four = [UInt8](repeating: 1, count: 4)
    let five = [UInt8](repeating: 1, count: 5)
    #expect(throws: GGUFWriteError.outOfOrder(tensor: "b", expected: "a")) {
      try four.withUnsafeBytes { try writer.append($0, toTensor: 1) }
    }
    #expect(throws: GGUFWriteError.tooManyBytes(tensor: "a", declared: 4)) {
      try five.withUnsafeBytes { try writer.append($0, toTensor: 0) }
    }
    try four.withUnsafeBytes { try writer.append($0, toTensor: 0) }
    #expect(throws: GGUFWriteError.missingBytes(tensor: "b", declared: 4, written: 0)) { try writer.finish() }
  }

  @Test func rejectsWhatReadersRefuse() throws {
    let name = String(repeating: "n", count: 64)
    #expect(throws: GGUFWriteError.invalidTensorName(name)) {
      _ = try GGUFTensorDeclaration(name: name, dimensions: [1], type: PK_F32)
    }
    for dimensions in [[], [0], [-1], [1, 1, 1, 1, 1], [Int.max], [1 << 40, 1 << 40]] {
      #expect(throws: GGUFWriteError.invalidDimensions(tensor: "a", dimensions)) {
        _ = try GGUFTensorDeclaration(name: "a", dimensions: dimensions, type: PK_F32)
      }
    }
    #expect(throws: GGUFWriteError.partialBlock(tensor: "a", columns: 33, block: 32)) {
      _ = try GGUFTensorDeclaration(name: "a", dimensions: [33], type: PK_Q4_0)
    }
    let scratch = try ScratchFolder()
    let cases: [([(key: String, value: GGUFValue)], GGUFWriteError)] = [
      ([("a", .bool(true)), ("a", .bool(true))], .duplicateKey("a")),
      ([("", .bool(true))], .invalidKey("")),
      ([("a", .array(.uint8, count: 2, bytes: ByteRegion([1])))], .malformedValue(key: "a")),
      ([("a", .array(.array, count: 0, bytes: ByteRegion([])))], .malformedValue(key: "a")),
      ([("general.alignment", .uint32(0x8000_0000))], .invalidAlignment(.uint32(0x8000_0000))),
      ([("general.alignment", .int32(32))], .invalidAlignment(.int32(32))),
    ]
    for (metadata, error) in cases {
      #expect(throws: error) { _ = try GGUFWriter(path: scratch.path + "/x", metadata: metadata, tensors: []) }
    }
    #expect(scratch.names == [])
  }
}
