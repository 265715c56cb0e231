// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory

// Writes facts as fast as it can and says of each turn, on standard output, when it was kept: for a test that kills it.
// Arguments: the file, and the number of the first turn.
let arguments = CommandLine.arguments
guard arguments.count == 3, let first = Int(arguments[2]) else { exit(2) }
let store = try MemoryStore(arguments[1], onDamage: .refuse, limit: 100_000)
for number in first..<(first + 100_000) {
  let time = Int64(number)
  let turn = CompletedTurn(
    said: "", finished: true, conversation: "writer", number: number, time: time, today: CivilDay(at: time))
  guard let turn else { exit(3) }
  let proposals = [
    FactProposal(.likes, value: "thing \(number)", text: "likes thing \(number)"),
    FactProposal(.age, value: "\(number)", text: "user is \(number)", isSingle: true),
  ]
  try await store.remember(proposals, from: turn)
  let line = Array("\(number)\n".utf8)
  guard write(1, line, line.count) == line.count else { exit(4) }
}
