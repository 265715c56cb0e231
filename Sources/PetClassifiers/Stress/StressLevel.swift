// SPDX-License-Identifier: Apache-2.0
/// A third of the people whom the classifier was trained on, by how anxious they said they felt. No diagnosis.
public enum StressLevel: String, CaseIterable, Sendable, Codable { case low, moderate, high }
