// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
  name: "ChatService",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    // A path to a clone of the engine; or its address: .package(url: ADDRESS, branch: "main").
    .package(name: "pet", path: "../.."),
  ],
  targets: [
    .executableTarget(
      name: "ChatService",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "PetEngine", package: "pet"),
        .product(name: "PetEngineLifecycle", package: "pet"),
      ],
      path: ".")
  ]
)
