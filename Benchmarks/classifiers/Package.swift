// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own, like ../micro: whoever uses Pet builds nothing of it.
let package = Package(
  name: "PetClassifierBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Pet", path: "../..")
  ],
  targets: [
    .executableTarget(name: "Measure", dependencies: [.product(name: "PetEngine", package: "Pet")]),
    .executableTarget(name: "Soak", dependencies: [.product(name: "PetEngine", package: "Pet")]),
  ],
  swiftLanguageModes: [.v6]
)
