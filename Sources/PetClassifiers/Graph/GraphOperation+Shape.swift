// SPDX-License-Identifier: Apache-2.0
extension GraphOperation {
  /// The name in a definition.
  package var name: String {
    switch self {
    case .conv2d: "conv2d"
    case .depthwiseConv2d: "depthwise_conv2d"
    case .fullyConnected: "fully_connected"
    case .add: "add"
    case .prelu: "prelu"
    case .sigmoid: "sigmoid"
    case .softmax: "softmax"
    case .globalAveragePool2d: "global_average_pool2d"
    case .maxPool2d: "max_pool2d"
    case .pad: "pad"
    case .resizeBilinear: "resize_bilinear"
    case .reshape: "reshape"
    case .depthToSpace: "depth_to_space"
    }
  }

  /// The shape that operands of these shapes give. Only `reshape` and `resizeBilinear` ask what is stated.
  /// - Throws: `invalidModel` where operands or attributes do not fit.
  package func resultShape(_ operands: [TensorShape], stated: TensorShape) throws(ClassifierError) -> TensorShape {
    let x = operands[0]
    switch self {
    case .conv2d(let window, _):
      let (filter, bias) = (operands[1], operands[2])
      try check(isPicture(x) && filter.rank == 4 && filter[3] == x[3] && bias.sizes == [filter[0]], operands)
      let size = try window.size(over: x, kernel: Size(height: filter[1], width: filter[2]))
      return try TensorShape([1, size.height, size.width, filter[0]])
    case .depthwiseConv2d(let window, _):
      let (filter, bias) = (operands[1], operands[2])
      try check(
        isPicture(x) && filter.rank == 4 && filter[0] == 1 && filter[3] == x[3] && bias.sizes == [x[3]], operands)
      let size = try window.size(over: x, kernel: Size(height: filter[1], width: filter[2]))
      return try TensorShape([1, size.height, size.width, x[3]])
    case .fullyConnected:
      let (filter, bias) = (operands[1], operands[2])
      try check(
        x.rank == 2 && x[0] == 1 && filter.rank == 2 && filter[1] == x[1] && bias.sizes == [filter[0]], operands)
      return try TensorShape([1, filter[0]])
    case .add:
      try check(x == operands[1], operands)
      return x
    case .prelu:
      try check(isPicture(x) && operands[1].sizes == [x[3]], operands)
      return x
    case .sigmoid:
      return x
    case .softmax:
      try check(x.rank == 2 && x[0] == 1, operands)
      return x
    case .globalAveragePool2d:
      try check(isPicture(x), operands)
      return try TensorShape([1, 1, 1, x[3]])
    case .maxPool2d(let kernel, let window):
      try check(isPicture(x), operands)
      let size = try window.size(over: x, kernel: kernel)
      guard kernel.height * kernel.width > 1 else {
        throw .invalidModel("max_pool2d of one pixel")
      }
      return try TensorShape([1, size.height, size.width, x[3]])
    case .pad(let before, let after):
      try check(isPicture(x), operands)
      return try padded(x, before, after)
    case .resizeBilinear(let mode):
      try check(isPicture(x) && isPicture(stated) && stated[3] == x[3], operands)
      guard mode != .alignCorners || (stated[1] > 1 && stated[2] > 1) else {
        throw .invalidModel("resize_bilinear cannot align the corners of one pixel")
      }
      return stated
    case .reshape:
      try check(x.count == stated.count, operands)
      return stated
    case .depthToSpace(let block):
      guard (2...64).contains(block) else { throw .invalidModel("depth_to_space in blocks of \(block)") }
      try check(isPicture(x) && x[3] % (block * block) == 0, operands)
      return try TensorShape([1, x[1] * block, x[2] * block, x[3] / (block * block)])
    }
  }

  /// Multiplications with additions, about; at most 2^52, as no shape has more than 2^26 elements.
  package func operationCount(_ operands: [TensorShape], result: TensorShape) -> Int {
    switch self {
    case .conv2d: result.count * operands[1][1] * operands[1][2] * operands[1][3]
    case .depthwiseConv2d: result.count * operands[1][1] * operands[1][2]
    case .fullyConnected: operands[1].count
    case .maxPool2d(let kernel, _): result.count * kernel.height * kernel.width
    case .globalAveragePool2d: operands[0].count
    default: result.count
    }
  }

  private func isPicture(_ shape: TensorShape) -> Bool { shape.rank == 4 && shape[0] == 1 }

  private func check(_ fits: Bool, _ operands: [TensorShape]) throws(ClassifierError) {
    guard fits else {
      let shapes = operands.map(\.description).joined(separator: " and ")
      throw .invalidModel("\(name) cannot be made of \(shapes)")
    }
  }

  private func padded(
    _ shape: TensorShape, _ before: [Int], _ after: [Int]
  ) throws(ClassifierError) -> TensorShape {
    let amounts = 0...TensorShape.sizeLimit
    guard before.count == 4, after.count == 4, before[0] == 0, after[0] == 0,
      before.allSatisfy(amounts.contains), after.allSatisfy(amounts.contains)
    else { throw .invalidModel("pad with \(before.prefix(6)) before and \(after.prefix(6)) after") }
    return try TensorShape((0..<4).map { before[$0] + shape[$0] + after[$0] })
  }
}

extension GraphOperation.Window {
  /// Sides of kernels; nothing published has larger ones.
  package static let kernelLimit = 64

  /// Rows and columns that a kernel gives, walking over a picture.
  package func size(over picture: TensorShape, kernel: GraphOperation.Size) throws(ClassifierError)
    -> GraphOperation.Size
  {
    GraphOperation.Size(
      height: try steps(picture[1], before: top, after: bottom, kernel: kernel.height, stride: stride.height),
      width: try steps(picture[2], before: left, after: right, kernel: kernel.width, stride: stride.width))
  }

  private func steps(
    _ size: Int, before: Int, after: Int, kernel: Int, stride: Int
  ) throws(ClassifierError) -> Int {
    guard (1...Self.kernelLimit).contains(kernel), (1...Self.kernelLimit).contains(stride),
      (0..<kernel).contains(before), (0..<kernel).contains(after), size + before + after >= kernel
    else {
      throw .invalidModel(
        "a kernel of \(kernel) with stride \(stride) and padding \(before) and \(after) over \(size)")
    }
    return (size + before + after - kernel) / stride + 1
  }
}
