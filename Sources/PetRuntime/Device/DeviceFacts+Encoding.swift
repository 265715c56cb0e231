// SPDX-License-Identifier: Apache-2.0
// A limit that is not there is null in JSON rather than missing: programs can rely on the keys.

extension DeviceFacts.CPU {
  private enum Keys: String, CodingKey {
    case model
    case processors
    case allowed
    case quota
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(model, forKey: .model)
    try container.encode(processors, forKey: .processors)
    try container.encode(allowed, forKey: .allowed)
    try container.encode(quota, forKey: .quota)
  }
}

extension DeviceFacts.Memory {
  private enum Keys: String, CodingKey {
    case total
    case available
    case limit
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(total, forKey: .total)
    try container.encode(available, forKey: .available)
    try container.encode(limit, forKey: .limit)
  }
}
