// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A small network that tells from its words what a line is about: the files of `Training/lib/word_classifier.py`.
///
/// Word vectors, convolutions of several widths over them, the greatest of each over the line (arXiv:1408.5882), the same for
/// what came before, one hidden layer. Words it does not know are the mean of their n-grams' vectors (arXiv:1607.04606).
package struct WordClassifier: Sendable {
  struct Convolution: Sendable {
    let width: Int
    let layer: Layer
  }

  struct Layer: Sendable {
    let inputs: Int
    let outputs: Int
    /// [inputs, outputs], so that sums of neighbours are added to at once. Of 8 bits: a pet keeps them as long as it lives.
    let weights: [Int8]
    /// Of each output.
    let scales: [Float]
    let bias: [Float]

    /// `values` has `inputs` elements, the result `outputs`.
    func apply(_ values: ArraySlice<Float>) -> [Float] {
      var sums = [Float](repeating: 0, count: outputs)
      sums.withUnsafeMutableBufferPointer { sums in
        weights.withUnsafeBufferPointer { weights in
          var row = 0
          for value in values.prefix(inputs) {
            for output in 0..<outputs { sums[output] += value * Float(weights[row + output]) }
            row += outputs
          }
        }
      }
      for output in 0..<outputs { sums[output] = sums[output] * scales[output] + bias[output] }
      return sums
    }
  }

  /// Vectors of 8 bits and the scale of each dimension.
  struct Table: @unchecked Sendable {  // the memory is read-only
    let rows: Int
    let scales: [Float]
    /// As they lie in the file.
    let values: UnsafeRawBufferPointer

    func add(_ row: Int, times factor: Float, to sum: inout [Float], at place: Int) {
      let dimensions = scales.count
      for dimension in 0..<dimensions {
        sum[place + dimension] +=
          factor * scales[dimension] * Float(Int8(bitPattern: values[row * dimensions + dimension]))
      }
    }
  }

  /// More words than these of a line, or of what came before it, are not looked at in one go.
  static let window = 48
  /// Of a long message: its beginning and its end.
  static let windows = 6

  /// Whose memory the tables lie in; nil: it stays for ever.
  let owner: (any Sendable)?
  let known: [UInt32]
  let words: Table
  let grams: Table
  let convolutions: [Convolution]
  let hidden: Layer
  let output: Layer

  /// How likely a line is of each class, from 0 to 1, after the words that came before it; the first class is that it is of none.
  /// Of a long line, the part that is least likely of none.
  ///
  /// Complexity: linear in the words, of which at most 288 are looked at.
  package func likelihoods(_ words: [String], before: [String] = []) -> [Float] {
    likelihoods(words, behind: [before]).first ?? []
  }

  /// The same behind each of several contexts; the line itself is read once.
  /// - Parameter heads: how many classes belong to each question that the network answers; nil: it answers one.
  func likelihoods(_ words: [String], behind contexts: [[String]], heads: [Int]? = nil) -> [[Float]] {
    let parts = Self.parts(of: words).map(pooled)
    return contexts.map { before in
      let context = pooled(before.suffix(Self.window))
      var best: [Float] = []
      for part in parts {
        var rest = outputs(of: part + context)[...]
        var likelihoods: [Float] = []
        for count in heads ?? [rest.count] {
          likelihoods += Self.softmax(rest.prefix(count))
          rest = rest.dropFirst(count)
        }
        if best.isEmpty || likelihoods[0] < best[0] { best = likelihoods }
      }
      return best
    }
  }

  /// How many of the words it knows as such, from 0 to 1; 1 where there are none. Complexity: linear in the words.
  func shareKnown(of words: [String]) -> Float {
    words.isEmpty ? 1 : Float(words.count { row(of: $0) != nil }) / Float(words.count)
  }

  /// Windows that overlap by half.
  static func parts(of words: [String]) -> [ArraySlice<String>] {
    guard words.count > window else { return [words[...]] }
    var starts = Array(stride(from: 0, to: words.count - window, by: window / 2)) + [words.count - window]
    if starts.count > windows { starts = Array(starts.prefix(windows / 2) + starts.suffix(windows / 2)) }
    return starts.map { words[$0..<$0 + window] }
  }

  private func outputs(of features: [Float]) -> [Float] {
    output.apply(hidden.apply(features[...]).map { max(0, $0) }[...])
  }

  /// As many that are together 1.
  static func softmax(_ logits: some Collection<Float>) -> [Float] {
    let greatest = logits.max() ?? 0
    let powers = logits.map { exp($0 - greatest) }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
  }

  /// The greatest value of each filter anywhere in the words; zero where there is none above it.
  private func pooled(_ line: ArraySlice<String>) -> [Float] {
    let dimensions = words.scales.count
    let most = convolutions.map(\.width).max() ?? 1
    // Zeros around the line: filters look beyond its ends.
    var vectors = [Float](repeating: 0, count: (line.count + 2 * most) * dimensions)
    for (place, word) in line.enumerated() { addVector(of: word, to: &vectors, at: (place + most) * dimensions) }
    var features: [Float] = []
    for convolution in convolutions {
      let size = convolution.width * dimensions
      var greatest = [Float](repeating: 0, count: convolution.layer.outputs)
      for place in 0..<line.count {
        let start = (place + most - convolution.width / 2) * dimensions
        let values = convolution.layer.apply(vectors[start..<start + size])
        for filter in greatest.indices { greatest[filter] = max(greatest[filter], values[filter]) }
      }
      features += greatest
    }
    return features
  }

  private func addVector(of word: String, to vectors: inout [Float], at place: Int) {
    if let row = row(of: word) {
      words.add(row, times: 1, to: &vectors, at: place)
    } else {
      let hashes = WordHash.grams(word.utf8, 3...5)
      for hash in hashes {
        grams.add(Int(hash) % grams.rows, times: 1 / Float(hashes.count), to: &vectors, at: place)
      }
    }
  }

  private func row(of word: String) -> Int? {
    let hash = FNV1a.of(word.utf8)
    var low = 0
    var high = known.count
    while low < high {
      let middle = (low + high) / 2
      if known[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low < known.count && known[low] == hash ? low : nil
  }
}
