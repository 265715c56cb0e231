// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The power spectrum of 512 real samples: a radix-2 transform after Cooley and Tukey (1965), tables made once.
package struct PowerSpectrum: Sendable {
  package static let size = 512
  /// Frequencies from 0 to half the rate.
  package static let bins = size / 2 + 1

  private let cosines: [Float]
  private let sines: [Float]
  private let order: [Int]

  package init() {
    let angles = (0..<(Self.size / 2)).map { 2 * Float.pi * Float($0) / Float(Self.size) }
    cosines = angles.map { cos($0) }
    sines = angles.map { sin($0) }
    let bits = Self.size.trailingZeroBitCount
    order = (0..<Self.size).map { index in
      (0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) }
    }
  }

  /// Squared magnitudes, (257). At most 512 samples; zeros follow fewer.
  package func callAsFunction(_ samples: [Float]) -> [Float] {
    var real = order.map { $0 < samples.count ? samples[$0] : 0 }
    var imaginary = [Float](repeating: 0, count: Self.size)
    var half = 1
    while half < Self.size {
      let step = Self.size / (2 * half)
      for start in stride(from: 0, to: Self.size, by: 2 * half) {
        for offset in 0..<half {
          let low = start + offset
          let high = low + half
          let (cosine, sine) = (cosines[offset * step], sines[offset * step])
          let turnedReal = real[high] * cosine + imaginary[high] * sine
          let turnedImaginary = imaginary[high] * cosine - real[high] * sine
          (real[high], imaginary[high]) = (real[low] - turnedReal, imaginary[low] - turnedImaginary)
          (real[low], imaginary[low]) = (real[low] + turnedReal, imaginary[low] + turnedImaginary)
        }
      }
      half *= 2
    }
    return (0..<Self.bins).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
  }
}
