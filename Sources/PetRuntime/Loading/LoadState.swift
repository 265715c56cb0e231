// SPDX-License-Identifier: Apache-2.0
/// Where a model is between the disk and memory.
public enum LoadState: Sendable, Equatable {
  case notLoaded
  /// `progress` is from 0 to 1 and never falls.
  case loading(progress: Double)
  case loaded
  /// No new uses; its memory goes when the last one ends.
  case unloading
  /// The next use tries again.
  case failed(reason: String)

  /// "notLoaded", "loading", "loaded", "unloading", "failed".
  public var name: String {
    switch self {
    case .notLoaded: "notLoaded"
    case .loading: "loading"
    case .loaded: "loaded"
    case .unloading: "unloading"
    case .failed: "failed"
    }
  }
}
