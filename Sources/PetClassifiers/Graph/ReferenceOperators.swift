// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Numbers with their shape.
package struct ReferenceTensor {
  package let shape: TensorShape
  package var values: [Float]

  /// The element of a picture; zero outside of it.
  package subscript(row: Int, column: Int, channel: Int) -> Float {
    guard (0..<shape[1]).contains(row), (0..<shape[2]).contains(column) else { return 0 }
    return values[(row * shape[2] + column) * shape[3] + channel]
  }

  /// A picture of a function of row, column and channel.
  package init(shape: TensorShape, _ value: (Int, Int, Int) -> Float) {
    self.shape = shape
    values = []
    values.reserveCapacity(shape.count)
    for row in 0..<shape[1] {
      for column in 0..<shape[2] {
        for channel in 0..<shape[3] { values.append(value(row, column, channel)) }
      }
    }
  }

  package init(shape: TensorShape, values: [Float]) {
    self.shape = shape
    self.values = values
  }
}

extension GraphOperation {
  /// What the operation gives for operands that were checked, summed in 64 bits.
  package func reference(_ operands: [ReferenceTensor], shape: TensorShape) -> ReferenceTensor {
    let x = operands[0]
    switch self {
    case .conv2d(let window, let activation):
      let (filter, bias) = (operands[1], operands[2].values)
      let (height, width, depth) = (filter.shape[1], filter.shape[2], filter.shape[3])
      return ReferenceTensor(shape: shape) { row, column, channel in
        var sum = Double(bias[channel])
        for i in 0..<height {
          for j in 0..<width {
            let (sourceRow, sourceColumn) = window.source(row, column, i, j)
            let start = ((channel * height + i) * width + j) * depth
            for k in 0..<depth {
              sum += Double(x[sourceRow, sourceColumn, k]) * Double(filter.values[start + k])
            }
          }
        }
        return activation.cut(sum)
      }
    case .depthwiseConv2d(let window, let activation):
      let (filter, bias) = (operands[1], operands[2].values)
      return ReferenceTensor(shape: shape) { row, column, channel in
        var sum = Double(bias[channel])
        for i in 0..<filter.shape[1] {
          for j in 0..<filter.shape[2] {
            let (sourceRow, sourceColumn) = window.source(row, column, i, j)
            sum += Double(x[sourceRow, sourceColumn, channel]) * Double(filter[i, j, channel])
          }
        }
        return activation.cut(sum)
      }
    case .fullyConnected(let activation):
      let (filter, bias) = (operands[1], operands[2].values)
      let values = bias.indices.map { output in
        let row = filter.values[output * x.shape.count..<(output + 1) * x.shape.count]
        return activation.cut(zip(row, x.values).reduce(Double(bias[output])) { $0 + Double($1.0) * Double($1.1) })
      }
      return ReferenceTensor(shape: shape, values: values)
    case .add(let activation):
      let values = zip(x.values, operands[1].values).map { activation.cut(Double($0) + Double($1)) }
      return ReferenceTensor(shape: shape, values: values)
    case .prelu:
      return ReferenceTensor(shape: shape) { row, column, channel in
        let value = x[row, column, channel]
        return value < 0 ? value * operands[1].values[channel] : value
      }
    case .sigmoid:
      return ReferenceTensor(shape: shape, values: x.values.map { Float(1 / (1 + exp(-Double($0)))) })
    case .softmax:
      let highest = x.values.max() ?? 0
      let powers = x.values.map { exp(Double($0 - highest)) }
      let sum = powers.reduce(0, +)
      return ReferenceTensor(shape: shape, values: powers.map { Float($0 / sum) })
    case .globalAveragePool2d:
      let pixels = x.shape[1] * x.shape[2]
      return ReferenceTensor(shape: shape) { _, _, channel in
        var sum = 0.0
        for pixel in 0..<pixels { sum += Double(x.values[pixel * x.shape[3] + channel]) }
        return Float(sum / Double(pixels))
      }
    case .maxPool2d(let kernel, let window):
      return ReferenceTensor(shape: shape) { row, column, channel in
        var highest = -Float.infinity
        for i in 0..<kernel.height {
          for j in 0..<kernel.width {
            let (sourceRow, sourceColumn) = window.source(row, column, i, j)
            guard (0..<x.shape[1]).contains(sourceRow), (0..<x.shape[2]).contains(sourceColumn) else { continue }
            highest = max(highest, x[sourceRow, sourceColumn, channel])
          }
        }
        return highest
      }
    case .pad(let before, _):
      return ReferenceTensor(shape: shape) { row, column, channel in
        let source = channel - before[3]
        return (0..<x.shape[3]).contains(source) ? x[row - before[1], column - before[2], source] : 0
      }
    case .resizeBilinear(let mode):
      return ReferenceTensor(shape: shape) { row, column, channel in
        let (top, down) = mode.source(row, of: shape[1], in: x.shape[1])
        let (left, right) = mode.source(column, of: shape[2], in: x.shape[2])
        let (below, beside) = (min(top + 1, x.shape[1] - 1), min(left + 1, x.shape[2] - 1))
        let upper = Double(x[top, left, channel]) * (1 - right) + Double(x[top, beside, channel]) * right
        let lower = Double(x[below, left, channel]) * (1 - right) + Double(x[below, beside, channel]) * right
        return Float(upper * (1 - down) + lower * down)
      }
    case .reshape:
      return ReferenceTensor(shape: shape, values: x.values)
    case .depthToSpace(let block):
      return ReferenceTensor(shape: shape) { row, column, channel in
        let part = (row % block * block + column % block) * shape[3]
        return x[row / block, column / block, part + channel]
      }
    }
  }
}

extension GraphOperation.Window {
  /// The source's pixel under the kernel's pixel (i, j) where the kernel makes the result's (row, column).
  fileprivate func source(_ row: Int, _ column: Int, _ i: Int, _ j: Int) -> (row: Int, column: Int) {
    (row * stride.height - top + i, column * stride.width - left + j)
  }
}

extension GraphOperation.Activation {
  fileprivate func cut(_ value: Double) -> Float {
    min(max(Float(value), bounds.lowerBound), bounds.upperBound)
  }
}

extension GraphOperation.ResizeMode {
  /// The pixel before a place and how far behind it the place lies, along one dimension.
  fileprivate func source(_ index: Int, of size: Int, in sourceSize: Int) -> (pixel: Int, fraction: Double) {
    let place: Double =
      switch self {
      case .halfPixel: (Double(index) + 0.5) * Double(sourceSize) / Double(size) - 0.5
      case .alignCorners: Double(index) * Double(sourceSize - 1) / Double(size - 1)
      case .legacy: Double(index) * Double(sourceSize) / Double(size)
      }
    let inside = min(max(place, 0), Double(sourceSize - 1))
    return (Int(inside), inside - inside.rounded(.down))
  }
}
