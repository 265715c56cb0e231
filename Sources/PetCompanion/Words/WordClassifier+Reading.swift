// SPDX-License-Identifier: Apache-2.0
import CBuiltInModels

extension WordClassifier {
  /// Why a file is refused.
  package enum ReadingError: Error, Equatable {
    case notAClassifier
    case unknownVersion(UInt32)
    /// A size outside what is sensible, or that does not fit the others.
    case badSize(field: String, value: Int)
    case wrongLength(expected: Int, found: Int)
    /// Words must be in order of their hashes, none twice.
    case unsortedWords(at: Int)
    case notANumber(field: String)
  }

  /// One that is built in.
  static func builtIn(_ name: String, classes: Int) -> WordClassifier {
    var count = 0
    // Part of the build, and read by a test: no other outcome is possible.
    guard let start = built_in_model(name, &count),
      let classifier = try? WordClassifier(
        UnsafeRawBufferPointer(start: start, count: count), classes: classes, keeping: nil)
    else { preconditionFailure("Models/\(name) cannot be read") }
    return classifier
  }

  /// Reads a file: "PWRD", version, six sizes and the filters (width, number) as little-endian UInt32, hashes of the words, then
  /// each table as the Float32 scales (of dimensions or rows), Int8 values and, for layers, Float32 biases.
  /// - Parameters:
  ///   - classes: how many it must tell apart, that of none included.
  ///   - owner: of the bytes, which are not copied: what lives as long as they do.
  package init(_ bytes: UnsafeRawBufferPointer, classes: Int, keeping owner: (any Sendable)?) throws(ReadingError) {
    self.owner = owner
    var reader = FieldReader(bytes: bytes)
    guard try reader.unsigned() == 0x4452_5750 else { throw .notAClassifier }
    let version = try reader.unsigned()
    guard version == 1 else { throw .unknownVersion(version) }
    let wordCount = try reader.size("words", 1...65536)
    let dimensions = try reader.size("dimensions", 1...256)
    let buckets = try reader.size("buckets", 1...65536)
    let hiddenSize = try reader.size("hidden", 1...1024)
    let outputs = try reader.size("classes", classes...classes)
    let kinds = try reader.size("convolutions", 1...8)
    var shapes: [(width: Int, filters: Int)] = []
    for _ in 0..<kinds { shapes.append((try reader.size("width", 1...9), try reader.size("filters", 1...512))) }
    let features = 2 * shapes.reduce(0) { $0 + $1.filters }
    let layers = shapes.reduce(0) { $0 + $1.filters * (8 + $1.width * dimensions) }
    let expected =
      reader.offset + wordCount * 4 + 2 * dimensions * 4 + (wordCount + buckets) * dimensions + layers
      + hiddenSize * (8 + features) + outputs * (8 + hiddenSize)
    guard bytes.count == expected else { throw .wrongLength(expected: expected, found: bytes.count) }

    let hashes = try reader.unsigned(count: wordCount)
    if let place = hashes.indices.dropFirst().first(where: { hashes[$0 - 1] >= hashes[$0] }) {
      throw .unsortedWords(at: place)
    }
    known = hashes
    words = try reader.table(rows: wordCount, dimensions: dimensions, "words")
    grams = try reader.table(rows: buckets, dimensions: dimensions, "buckets")
    var convolutions: [Convolution] = []
    for shape in shapes {
      let layer = try reader.layer(inputs: shape.width * dimensions, outputs: shape.filters, "convolutions")
      convolutions.append(Convolution(width: shape.width, layer: layer))
    }
    self.convolutions = convolutions
    hidden = try reader.layer(inputs: features, outputs: hiddenSize, "hidden")
    output = try reader.layer(inputs: hiddenSize, outputs: outputs, "output")
  }

  private struct FieldReader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    mutating func unsigned() throws(ReadingError) -> UInt32 {
      guard bytes.count - offset >= 4 else { throw .wrongLength(expected: offset + 4, found: bytes.count) }
      defer { offset += 4 }
      return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    mutating func unsigned(count: Int) throws(ReadingError) -> [UInt32] {
      var values: [UInt32] = []
      for _ in 0..<count { values.append(try unsigned()) }
      return values
    }

    mutating func size(_ field: String, _ sensible: ClosedRange<Int>) throws(ReadingError) -> Int {
      let value = Int(try unsigned())
      guard sensible.contains(value) else { throw .badSize(field: field, value: value) }
      return value
    }

    mutating func floats(_ count: Int, _ field: String) throws(ReadingError) -> [Float] {
      let values = try unsigned(count: count).map(Float.init(bitPattern:))
      guard values.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { throw .notANumber(field: field) }
      return values
    }

    mutating func small(_ count: Int) throws(ReadingError) -> UnsafeRawBufferPointer {
      guard bytes.count - offset >= count else { throw .wrongLength(expected: offset + count, found: bytes.count) }
      defer { offset += count }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func table(rows: Int, dimensions: Int, _ field: String) throws(ReadingError) -> Table {
      Table(rows: rows, scales: try floats(dimensions, field), values: try small(rows * dimensions))
    }

    mutating func layer(inputs: Int, outputs: Int, _ field: String) throws(ReadingError) -> Layer {
      let scales = try floats(outputs, field)
      let values = try small(inputs * outputs)
      var weights = [Int8](repeating: 0, count: values.count)
      for place in values.indices {
        let (output, input) = (place / inputs, place % inputs)
        weights[input * outputs + output] = Int8(bitPattern: values[place])
      }
      return Layer(
        inputs: inputs, outputs: outputs, weights: weights, scales: scales, bias: try floats(outputs, field))
    }
  }
}
