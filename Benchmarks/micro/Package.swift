// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A package of its own: whoever uses Pet fetches nothing of what this needs.
let package = Package(
  name: "PetMicrobenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Pet", path: "../.."),
    // Without its default traits, which put counters under malloc and retain: those would be measured too.
    .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
  ],
  targets: [
    .target(name: "CHeap"),
    .target(name: "CMachinePeaks"),
    .executableTarget(
      name: "Kernels",
      dependencies: [
        "CHeap",
        "CMachinePeaks",
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "PetInternals", package: "Pet"),
      ],
      path: "Benchmarks/Kernels",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu11
)
