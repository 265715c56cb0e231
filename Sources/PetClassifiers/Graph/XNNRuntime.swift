// SPDX-License-Identifier: Apache-2.0
import CXNNPACK

/// Operators that are ready to run, and the threads that they run on.
package final class XNNRuntime {
  private let runtime: xnn_runtime_t
  private let threads: pthreadpool_t?

  /// - Throws: `invalidModel` where an operator refuses its shapes.
  package init(_ subgraph: XNNSubgraph, threads count: Int) throws(ClassifierError) {
    threads = count > 1 ? pthreadpool_create(count) : nil
    var runtime: xnn_runtime_t?
    let status = xnn_create_runtime_v2(subgraph.subgraph, threads, 0, &runtime)
    guard status == xnn_status_success, let runtime else {
      if let threads { pthreadpool_destroy(threads) }
      throw .invalidModel("its operators cannot be made (XNNPACK: \(status.rawValue))")
    }
    self.runtime = runtime
  }

  deinit {
    xnn_delete_runtime(runtime)
    if let threads { pthreadpool_destroy(threads) }
  }

  /// Says where inputs and outputs lie, in the order of their numbers; they must outlive the runtime.
  package func connect(_ storages: [FloatStorage]) throws(ClassifierError) {
    let values = storages.enumerated().map { index, storage in
      xnn_external_value(id: UInt32(index), data: storage.address)
    }
    let status = xnn_setup_runtime(runtime, values.count, values)
    guard status == xnn_status_success else {
      throw .invalidModel("its operators cannot be set up (XNNPACK: \(status.rawValue))")
    }
  }

  package func invoke() throws(ClassifierError) {
    let status = xnn_invoke_runtime(runtime)
    guard status == xnn_status_success else { throw .inferenceFailed("XNNPACK: \(status.rawValue)") }
  }

  private static let libraryStatus = xnn_initialize(nil)

  /// Looks at the processor, once.
  package static func initializeLibrary() throws(ClassifierError) {
    guard libraryStatus == xnn_status_success else {
      throw .unavailable("XNNPACK does not support this machine (\(libraryStatus.rawValue))")
    }
  }
}
