// SPDX-License-Identifier: Apache-2.0
/// What a pet does beside talking: up to two for each reply.
public enum PetAction: String, Sendable, CaseIterable, Codable {
  case wagTail = "wag_tail"
  case purr, jump, spin, cuddle, nuzzle, wave, dance, sing, yawn, sleep, eat
  case playBall = "play_ball"
  case fetch, hide
  case lookAround = "look_around"
  case tiltHead = "tilt_head"
  case blush, cry, laugh
}
