// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Synchronization

/// Something that is loaded, and counts how many of it there are.
final class CountedModel: Sendable {
  final class Counter: Sendable {
    private struct State {
      var loads = 0
      var alive = 0
      var most = 0
    }

    private let state = Mutex(State())

    var loads: Int { state.withLock { $0.loads } }
    var alive: Int { state.withLock { $0.alive } }
    var most: Int { state.withLock { $0.most } }

    fileprivate func born() {
      state.withLock { state in
        state.loads += 1
        state.alive += 1
        state.most = max(state.most, state.alive)
      }
    }

    fileprivate func died() { state.withLock { $0.alive -= 1 } }
  }

  let label: String
  private let counter: Counter

  init(_ counter: Counter, _ label: String = "") {
    self.label = label
    self.counter = counter
    counter.born()
  }

  deinit { counter.died() }
}

struct LoadFailure: Error, Equatable {
  var number = 0
}

extension ModelLoader where Model == CountedModel {
  /// A loader that waits for `latch`, if there is one, and then loads or fails.
  static func counted(
    _ counter: CountedModel.Counter, _ label: String = "1", bytes: UInt64 = 100, after latch: Latch? = nil,
    failing: LoadFailure? = nil, began: Recorder<String>? = nil
  ) -> ModelLoader {
    ModelLoader(version: label, bytes: bytes) { progress in
      began?.add(label)
      progress(0.25)
      try await latch?.wait()
      if let failing { throw failing }
      progress(1)
      return CountedModel(counter, label)
    }
  }
}
