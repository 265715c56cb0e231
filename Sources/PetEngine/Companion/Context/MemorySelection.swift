import PetMemory

/// Which facts stand in the system text. Pure.
///
/// Each change is said behind the conversation and takes room there: what was told stays as long as it holds all that is wanted.
enum MemorySelection {
  /// - Parameters:
  ///   - told: what stands there, of what is still so.
  ///   - recalled: what fits the message, best first.
  ///   - most: of them all.
  static func choose(told: [Fact], recalled: [Fact], most: Int) -> [Fact] {
    let known = Dictionary(told.map { ($0.id, $0.text) }) { first, _ in first }
    if recalled.allSatisfy({ known[$0.id] == $0.text }) { return told }
    let wanted = Set(recalled.map(\.id))
    return Array((recalled + told.filter { !wanted.contains($0.id) }).prefix(max(0, most)))
  }
}
