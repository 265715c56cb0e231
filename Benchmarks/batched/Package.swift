// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own, like ../micro: whoever uses Pet builds nothing of it.
let package = Package(
  name: "PetServing",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Pet", path: "../..")
  ],
  targets: [
    .executableTarget(name: "Serving", dependencies: [.product(name: "PetInternals", package: "Pet")])
  ],
  swiftLanguageModes: [.v6]
)
