// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What `--compare` needs of a report that `pet bench --json` wrote.
struct EarlierReport: Decodable {
  let model: String
  let kernels: String
  let rows: [Row]

  struct Row: Decodable {
    let test: String
    let threads: Int
    let tokensPerSecond: Double

    enum CodingKeys: String, CodingKey {
      case test, threads
      case tokensPerSecond = "tokens_per_second"
    }
  }

  static func read(_ path: String) throws -> EarlierReport {
    let bytes = try InputFile.bytes(path, limit: 16 << 20)
    // Speeds are written in hundredths. With a smaller one, a ratio need be no number.
    guard let report = try? JSONDecoder().decode(EarlierReport.self, from: Data(bytes)),
      report.rows.allSatisfy({ $0.tokensPerSecond == 0 || $0.tokensPerSecond >= 0.01 })
    else { throw InputError.notBenchReport(path: path) }
    return report
  }

  /// The ratio for a row of now, where this report has the same test on as many threads.
  func comparison(_ row: BenchReport.Row) -> BenchReport.Comparison? {
    guard let earlier = rows.last(where: { $0.test == row.test && $0.threads == row.threads }),
      earlier.tokensPerSecond > 0
    else { return nil }
    return .init(
      tokensPerSecond: earlier.tokensPerSecond,
      ratio: (row.tokensPerSecond / earlier.tokensPerSecond * 1000).rounded() / 1000)
  }
}
