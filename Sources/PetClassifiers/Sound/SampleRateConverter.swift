// SPDX-License-Identifier: Apache-2.0
import CSampleRate

/// Changes the rate of a sound that comes in pieces. Band-limited: libsamplerate's medium sinc (signal to noise 121 dB,
/// 90 % of the band).
///
/// Source: J. O. Smith, "Digital Audio Resampling", https://ccrma.stanford.edu/~jos/resample/
package struct SampleRateConverter: ~Copyable {
  private let state: OpaquePointer
  private let ratio: Double

  /// Rates in samples per second.
  /// - Throws: `ClassifierError.invalidInput` where libsamplerate cannot make the one of the other.
  package init(from source: Int, to target: Int) throws(ClassifierError) {
    ratio = Double(target) / Double(source)
    var code: Int32 = 0
    guard src_is_valid_ratio(ratio) != 0, let state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), 1, &code) else {
      throw .invalidInput("\(source) samples per second cannot be made \(target)")
    }
    self.state = state
  }

  deinit { src_delete(state) }

  /// Converts one piece and adds what is ready to `output`. O(count).
  package mutating func convert(_ piece: [Float], isLast: Bool, into output: inout [Float]) throws(ClassifierError) {
    let room = Int(Double(piece.count) * ratio) + 4_096
    var converted = [Float](repeating: 0, count: room)
    var used = 0
    while true {
      var code: Int32 = 0
      var taken = 0
      var made = 0
      piece.withUnsafeBufferPointer { piece in
        converted.withUnsafeMutableBufferPointer { converted in
          var data = SRC_DATA()
          data.data_in = piece.baseAddress.map { $0 + used }
          data.input_frames = piece.count - used
          data.data_out = converted.baseAddress
          data.output_frames = room
          data.src_ratio = ratio
          data.end_of_input = isLast ? 1 : 0
          code = src_process(state, &data)
          taken = data.input_frames_used
          made = data.output_frames_gen
        }
      }
      guard code == 0 else { throw .invalidInput("the sample rate cannot be converted (libsamplerate: \(code))") }
      output.append(contentsOf: converted[..<made])
      used += taken
      if made < room, used == piece.count || taken == 0 { return }
    }
  }
}
