// SPDX-License-Identifier: Apache-2.0
/// Strongly connected components of a directed graph (Tarjan 1972), without recursion.
enum Components {
  /// The component of each node. A component's number is higher than those of all that it leads to.
  static func of(count: Int, successors: (Int) -> [Int]) -> [Int] {
    var order = [Int](repeating: -1, count: count)
    var low = [Int](repeating: 0, count: count)
    var component = [Int](repeating: -1, count: count)
    var (clock, components) = (0, 0)
    var path: [Int] = []
    var stack: [(node: Int, successors: [Int], next: Int)] = []
    for root in 0..<count where order[root] < 0 {
      stack.append((root, successors(root), 0))
      while let top = stack.last {
        let node = top.node
        if top.next == 0, order[node] < 0 {
          order[node] = clock
          low[node] = clock
          clock += 1
          path.append(node)
        }
        if top.next < top.successors.count {
          stack[stack.count - 1].next += 1
          let successor = top.successors[top.next]
          if order[successor] < 0 {
            stack.append((successor, successors(successor), 0))
          } else if component[successor] < 0 {
            low[node] = min(low[node], order[successor])
          }
          continue
        }
        stack.removeLast()
        if let parent = stack.last?.node { low[parent] = min(low[parent], low[node]) }
        guard low[node] == order[node] else { continue }
        while let member = path.popLast() {
          component[member] = components
          if member == node { break }
        }
        components += 1
      }
    }
    return component
  }
}
