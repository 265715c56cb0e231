// SPDX-License-Identifier: Apache-2.0
/// One version of a model in memory, or on its way there, or none, and who uses it.
struct ModelInstance<Model: Sendable> {
  /// Tells the instances of a model apart.
  let id: UInt64
  var machine = LoadMachine()
  var model: Model?
  var reservation: MemoryReservation?
  var bytes: UInt64 = 0
  var version = ""

  init(id: UInt64) { self.id = id }

  mutating func fill(_ loaded: LoadedModel<Model>) {
    model = loaded.model
    reservation = loaded.reservation
    bytes = loaded.loader.bytes
    version = loaded.loader.version
    reservation?.markTaken()
  }

  /// Frees the memory; the promise of it goes last, so that nobody is promised what is not free yet.
  mutating func empty() {
    model = nil
    HeapMemory.giveBack()
    reservation = nil
    bytes = 0
  }
}

/// What a load made.
struct LoadedModel<Model: Sendable>: Sendable {
  let model: Model
  let loader: ModelLoader<Model>
  let reservation: MemoryReservation?
  /// Which of the model's loaders this one takes the place of, if any.
  var replaces: Int?
}
