// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Groups the commands for classifiers.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "What a picture, a voice or a table of moods shows.",
    discussion: """
      Four small classifiers that are part of this program; nothing is fetched and nothing leaves the machine. What each was \
      made of and what it cannot do: `pet models show pose`, `vocal-affect`, `facial-expression`, `parent-stress`.

      EXAMPLES
        pet classify pose photo.jpg --draw pose.png
        pet classify expression photos --json
        pet classify affect talk.wav
        pet classify stress moods.csv

      An input is a file, a folder, or - for standard input. Exit code 3 where one was refused; of several the others are \
      classified all the same. With --json each gives one object of one form, whatever it came from: result is null where it was \
      refused and error elsewhere; index counts what comes through standard input from 0, seconds is how much of a sound was \
      heard that is judged as it comes, and both are null elsewhere.
      """,
    subcommands: [
      ClassifyPoseCommand.self, ClassifyAffectCommand.self, ClassifyExpressionCommand.self, ClassifyStressCommand.self,
    ])
}
