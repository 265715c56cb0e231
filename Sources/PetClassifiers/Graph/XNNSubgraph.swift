// SPDX-License-Identifier: Apache-2.0
import CXNNPACK

/// A graph as XNNPACK wants it described. Inputs have numbers from 0 on, outputs those after them.
package final class XNNSubgraph {
  package let subgraph: xnn_subgraph_t

  /// - Parameter constants: in the order of the graph's; they must outlive every runtime that is made of this.
  /// - Throws: `invalidModel` where a node is refused.
  package init(_ graph: Graph, constants: [FloatStorage]) throws(ClassifierError) {
    var created: xnn_subgraph_t?
    let status = xnn_create_subgraph(UInt32(graph.inputs.count + graph.outputs.count), 0, &created)
    guard status == xnn_status_success, let created else {
      throw .unavailable("no memory for a graph (XNNPACK: \(status.rawValue))")
    }
    subgraph = created
    var ids: [UInt32] = []
    for (index, input) in graph.inputs.enumerated() {
      ids.append(try define(input.shape, external: index, flags: XNN_VALUE_FLAG_EXTERNAL_INPUT))
    }
    for (constant, storage) in zip(graph.constants, constants) {
      ids.append(try define(constant.shape, data: storage))
    }
    for (index, node) in graph.nodes.enumerated() {
      let value = graph.value(ofNode: index)
      if let output = graph.outputs.firstIndex(where: { $0.value == value }) {
        let external = graph.inputs.count + output
        ids.append(try define(node.shape, external: external, flags: XNN_VALUE_FLAG_EXTERNAL_OUTPUT))
      } else {
        ids.append(try define(node.shape))
      }
      let operands = node.inputs.map { (shape: graph.shape($0), id: ids[$0]) }
      let status = define(node.operation, operands, result: (node.shape, ids[value]))
      guard status == xnn_status_success else {
        throw .invalidModel("\(node.operation.name) is refused (XNNPACK: \(status.rawValue))")
      }
    }
  }

  deinit { xnn_delete_subgraph(subgraph) }

  private func define(
    _ shape: TensorShape, data: FloatStorage? = nil, external: Int? = nil, flags: Int32 = 0
  ) throws(ClassifierError) -> UInt32 {
    var id: UInt32 = 0
    let status = xnn_define_tensor_value(
      subgraph, xnn_datatype_fp32, shape.rank, shape.sizes, data?.address, external.map(UInt32.init) ?? .max,
      UInt32(flags), &id)
    guard status == xnn_status_success else {
      throw .invalidModel("a value of shape \(shape) is refused (XNNPACK: \(status.rawValue))")
    }
    return id
  }

  private typealias Value = (shape: TensorShape, id: UInt32)

  private func define(_ operation: GraphOperation, _ operands: [Value], result: Value) -> xnn_status {
    let (x, y) = (operands[0], result.id)
    switch operation {
    case .conv2d(let window, let activation):
      let (filter, bias, bounds) = (operands[1], operands[2], activation.bounds)
      return xnn_define_convolution_2d(
        subgraph, UInt32(window.top), UInt32(window.right), UInt32(window.bottom), UInt32(window.left),
        UInt32(filter.shape[1]), UInt32(filter.shape[2]), UInt32(window.stride.height), UInt32(window.stride.width),
        1, 1, 1, filter.shape[3], filter.shape[0], bounds.lowerBound, bounds.upperBound, x.id, filter.id, bias.id, y, 0)
    case .depthwiseConv2d(let window, let activation):
      let (filter, bias, bounds) = (operands[1], operands[2], activation.bounds)
      return xnn_define_depthwise_convolution_2d(
        subgraph, UInt32(window.top), UInt32(window.right), UInt32(window.bottom), UInt32(window.left),
        UInt32(filter.shape[1]), UInt32(filter.shape[2]), UInt32(window.stride.height), UInt32(window.stride.width),
        1, 1, 1, filter.shape[3], bounds.lowerBound, bounds.upperBound, x.id, filter.id, bias.id, y, 0)
    case .fullyConnected(let activation):
      let bounds = activation.bounds
      return xnn_define_fully_connected(
        subgraph, bounds.lowerBound, bounds.upperBound, x.id, operands[1].id, operands[2].id, y, 0)
    case .add(let activation):
      let bounds = activation.bounds
      return xnn_define_add2(subgraph, bounds.lowerBound, bounds.upperBound, x.id, operands[1].id, y, 0)
    case .prelu: return xnn_define_prelu(subgraph, x.id, operands[1].id, y, 0)
    case .sigmoid: return xnn_define_sigmoid(subgraph, x.id, y, 0)
    case .softmax: return xnn_define_softmax(subgraph, x.id, y, 0)
    case .globalAveragePool2d:
      return xnn_define_global_average_pooling_2d(subgraph, -.infinity, .infinity, x.id, y, 0)
    case .maxPool2d(let kernel, let window):
      return xnn_define_max_pooling_2d(
        subgraph, UInt32(window.top), UInt32(window.right), UInt32(window.bottom), UInt32(window.left),
        UInt32(kernel.height), UInt32(kernel.width), UInt32(window.stride.height), UInt32(window.stride.width), 1, 1,
        -.infinity, .infinity, x.id, y, 0)
    case .pad(let before, let after): return xnn_define_static_constant_pad(subgraph, before, after, 0, x.id, y, 0)
    case .resizeBilinear(let mode):
      return xnn_define_static_resize_bilinear_2d(subgraph, result.shape[1], result.shape[2], x.id, y, mode.flags)
    case .reshape: return xnn_define_static_reshape(subgraph, result.shape.rank, result.shape.sizes, x.id, y, 0)
    case .depthToSpace(let block): return xnn_define_depth_to_space(subgraph, x.id, y, UInt32(block), 0)
    }
  }
}

extension GraphOperation.ResizeMode {
  fileprivate var flags: UInt32 {
    switch self {
    case .halfPixel: 0
    case .alignCorners: UInt32(XNN_FLAG_ALIGN_CORNERS)
    case .legacy: UInt32(XNN_FLAG_TENSORFLOW_LEGACY_MODE)
    }
  }
}
