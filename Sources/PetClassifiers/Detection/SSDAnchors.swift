// SPDX-License-Identifier: Apache-2.0
/// Places at which a single-shot detector looks for things: W. Liu and others, "SSD: Single Shot MultiBox Detector", 2016,
/// https://arxiv.org/abs/1512.02325, as MediaPipe's SsdAnchorsCalculator lays them out with `fixed_anchor_size`.
package enum SSDAnchors {
  /// Two at the middle of every cell of every layer's grid; layers of equal stride share a grid, cell by cell. Places are
  /// from 0 to 1.
  package static func places(size: Int, strides: [Int]) -> [PicturePoint] {
    var places: [PicturePoint] = []
    var rest = strides[...]
    while let stride = rest.first {
      let layers = rest.prefix { $0 == stride }.count
      rest = rest.dropFirst(layers)
      let cells = (size + stride - 1) / stride
      for row in 0..<cells {
        for column in 0..<cells {
          let place = PicturePoint(
            x: (Float(column) + 0.5) / Float(cells), y: (Float(row) + 0.5) / Float(cells))
          places += repeatElement(place, count: 2 * layers)
        }
      }
    }
    return places
  }
}
