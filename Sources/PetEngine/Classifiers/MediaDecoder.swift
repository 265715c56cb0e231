// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetRuntime

/// Decodes pictures and sounds that come from anywhere.
public struct MediaDecoder: Sendable {
  private let helper: SealedHelper?

  /// In this process.
  public static let here = MediaDecoder(helper: nil)

  /// Each by a process of its own, which is sealed and has no files. To be made before the first thread.
  /// - Parameters:
  ///   - fileLimit: bytes of the largest file.
  ///   - pixelLimit: of the largest picture.
  public static func sealed(fileLimit: Int, pixelLimit: Int = Picture.pixelLimit) -> MediaDecoder {
    let longest = max(pixelLimit * 3, (Waveform.longest + 1) * Waveform.rate * MemoryLayout<Float>.size)
    return MediaDecoder(
      helper: SealedHelper(
        mostAsked: fileLimit + Request.overhead, mostAnswered: longest + Answer.overhead,
        work: { Request($0).map { Answer($0).bytes } }))
  }

  /// - Throws: as `Picture.init(_:pixelLimit:)`; `ClassifierError.invalidInput` where the process that decoded it ended early.
  public func picture(_ file: [UInt8], pixelLimit: Int = Picture.pixelLimit) throws(ClassifierError) -> Picture {
    guard let helper else { return try Picture(file, pixelLimit: pixelLimit) }
    return try Self.ask(helper, Request(kind: .picture, pixelLimit: pixelLimit, file: file)).picture()
  }

  /// - Throws: as `Waveform.init(wav:)`; `ClassifierError.invalidInput` where the process that decoded it ended early.
  public func sound(wav file: [UInt8]) throws(ClassifierError) -> Waveform {
    guard let helper else { return try Waveform(wav: file) }
    return try Self.ask(helper, Request(kind: .sound, pixelLimit: 0, file: file)).sound()
  }

  private static func ask(_ helper: SealedHelper, _ request: Request) throws(ClassifierError) -> Answer {
    do throws(SealedHelper.Failure) {
      return Answer(bytes: try helper.answer(request.bytes))
    } catch {
      throw error == .noAnswer ? .invalidInput("it cannot be decoded: \(error)") : .unavailable("\(error)")
    }
  }
}

/// The file, then what it is to be taken for.
private struct Request {
  enum Kind: UInt8 { case picture, sound }

  static let overhead = 9

  let kind: Kind
  let pixelLimit: Int
  let file: [UInt8]

  init(kind: Kind, pixelLimit: Int, file: [UInt8]) {
    self.kind = kind
    self.pixelLimit = pixelLimit
    self.file = file
  }

  init?(_ bytes: [UInt8]) {
    var bytes = bytes
    guard let kind = bytes.popLast().flatMap(Kind.init(rawValue:)), let limit = bytes.popNumber(8) else { return nil }
    self.init(kind: kind, pixelLimit: Int(clamping: limit), file: bytes)
  }

  var bytes: [UInt8] {
    var bytes = file
    bytes.append(UInt64(clamping: pixelLimit), 8)
    bytes.append(kind.rawValue)
    return bytes
  }
}

/// Pixels and the size, or samples, or why there are none; then which. What comes from a process that decoded hostile bytes is no less
/// hostile: all of it is checked.
private struct Answer {
  private enum Kind: UInt8 { case picture, sound, refusal }

  static let overhead = 9
  private static let longestReason = 400

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(_ request: Request) { bytes = Self.bytes(for: request) }

  private static func bytes(for request: Request) -> [UInt8] {
    do throws(ClassifierError) {
      switch request.kind {
      case .picture:
        let picture = try Picture(request.file, pixelLimit: request.pixelLimit)
        var bytes = picture.pixels
        bytes.append(UInt64(picture.width), 4)
        bytes.append(UInt64(picture.height), 4)
        bytes.append(Kind.picture.rawValue)
        return bytes
      case .sound:
        return try Waveform(wav: request.file).samples.withUnsafeBytes { Array($0) } + [Kind.sound.rawValue]
      }
    } catch {
      var reason = "\(error)"
      if case .invalidInput(let text) = error { reason = text }
      return Array(reason.utf8.prefix(longestReason)) + [Kind.refusal.rawValue]
    }
  }

  func picture() throws(ClassifierError) -> Picture {
    var bytes = try content(.picture)
    guard let height = bytes.popNumber(4), let width = bytes.popNumber(4) else { throw Self.damaged }
    return try Picture(width: Int(width), height: Int(height), rgb: bytes)
  }

  func sound() throws(ClassifierError) -> Waveform {
    let bytes = try content(.sound)
    guard bytes.count % MemoryLayout<Float>.size == 0 else { throw Self.damaged }
    let count = bytes.count / MemoryLayout<Float>.size
    let samples = [Float](unsafeUninitializedCapacity: count) { buffer, filled in
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      filled = count
    }
    return try Waveform(samples: samples)
  }

  private func content(_ kind: Kind) throws(ClassifierError) -> [UInt8] {
    var content = bytes
    let found = content.popLast().flatMap(Kind.init(rawValue:))
    if found == kind { return content }
    guard found == .refusal else { throw Self.damaged }
    throw .invalidInput(String(decoding: content.prefix(Self.longestReason), as: UTF8.self))
  }

  private static let damaged = ClassifierError.invalidInput("it cannot be decoded")
}

extension [UInt8] {
  /// Little-endian.
  fileprivate mutating func append(_ number: UInt64, _ count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }

  /// From the end; nil where there are fewer bytes.
  fileprivate mutating func popNumber(_ count: Int) -> UInt64? {
    guard self.count >= count else { return nil }
    let number = suffix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    removeLast(count)
    return number
  }
}
