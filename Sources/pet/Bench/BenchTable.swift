// SPDX-License-Identifier: Apache-2.0
/// A report for people.
struct BenchTable {
  let report: BenchReport

  var text: String {
    var heading = ["test", "threads", "tokens/s", "slowest", "fastest", "p50 ms", "p95", "p99", "first ms", "GB/s"]
    if report.comparedWith != nil { heading += ["before", "ratio"] }
    var table = TextTable(heading)
    for row in report.rows {
      var cells = [row.test, "\(row.threads)", "\(row.tokensPerSecond)", "\(row.slowest)", "\(row.fastest)"]
      cells += [row.latency?.p50, row.latency?.p95, row.latency?.p99, row.timeToFirstToken].map(Self.cell)
      cells.append(Self.cell(row.gigabytesPerSecond))
      if report.comparedWith != nil { cells += [row.compared?.tokensPerSecond, row.compared?.ratio].map(Self.cell) }
      table.add(cells)
    }
    let bytes = report.rows.compactMap(\.bytesPerToken)
    let read = [bytes.min(), bytes.max()].compactMap { $0.map { ByteCount.text(UInt64($0)) } }
    return [
      table.text,
      "\(report.kernels) kernels, loaded in \(report.load) ms; resident: \(report.loaded) MB loaded, "
        + "\(report.resident) MB now, \(report.peak) MB at most",
      Set(read).count == 2
        ? "read per token of a reply: \(read[0]) to \(read[1])" : read.first.map { "read per token of a reply: \($0)" },
    ].compactMap { $0 }.joined(separator: "\n")
  }

  private static func cell(_ value: Double?) -> String { value.map { "\($0)" } ?? "-" }
}
