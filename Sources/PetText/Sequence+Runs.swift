// SPDX-License-Identifier: Apache-2.0
extension Sequence<UInt8> {
  /// With letters that are drawn out, "hiiii", written `count` times: runs of three and more of the same byte are cut.
  /// - Parameter isCut: which bytes; runs of others stay.
  /// - Complexity: O(n)
  package func cuttingRuns(to count: Int, of isCut: (UInt8) -> Bool = { _ in true }) -> [UInt8] {
    var kept: [UInt8] = []
    var rest = Array(self)[...]
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }
      kept += run.count > 2 && isCut(byte) ? run.prefix(count) : run
      rest = rest.dropFirst(run.count)
    }
    return kept
  }
}
