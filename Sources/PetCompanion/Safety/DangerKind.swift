// SPDX-License-Identifier: Apache-2.0
/// What a person's words tell of, as finely as words of its own are written for it (`prompts/danger.json`).
public enum DangerKind: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case suicide
  case selfInjury = "self_injury"
  case eating
  /// Who cares for a child, or for somebody ill or old, is at their end.
  case carer
  /// Violence, threats or control by a partner, a former one or the family against an adult.
  case partner
  /// The person means to hurt somebody.
  case threat
  /// Who writes is hurt or misused, and depends on who does it: a child above all.
  case abuse
  /// A child in danger, another than who writes.
  case child
  /// Too many pills, cleaners, mushrooms, drink.
  case poisoning
  /// Gas, carbon monoxide, smoke, fire.
  case gas
  /// A body in acute danger.
  case medical
  /// A friend, a relative or a stranger in danger of any kind.
  case someoneElse = "someone_else"

  public var danger: Danger {
    switch self {
    case .suicide, .selfInjury, .eating, .carer: .selfHarm
    case .partner, .threat, .abuse, .child: .violence
    case .poisoning, .gas, .medical, .someoneElse: .emergency
    }
  }

  /// A line that tells of it, as people write.
  package var plainly: String {
    switch self {
    case .suicide: "I want to kill myself"
    case .selfInjury: "I cut myself again and it is deep"
    case .eating: "I have not eaten for days and I keep fainting"
    case .carer: "the baby screams all night and I am going to shake her"
    case .partner: "he hits me and I am scared of him"
    case .threat: "I have a knife and I am going to hurt him"
    case .abuse: "my dad hits me and locks me in"
    case .child: "a little boy is alone in a hot car"
    case .poisoning: "I took too many pills"
    case .gas: "the kitchen is full of smoke and it smells of gas"
    case .medical: "my dad is not breathing"
    case .someoneElse: "my friend says she will kill herself tonight"
    }
  }
}

extension Danger {
  /// What a rule or a model's flag for it may stand for, the likeliest first.
  package var kinds: [DangerKind] {
    switch self {
    case .selfHarm: [.suicide, .selfInjury, .eating, .poisoning, .carer, .someoneElse]
    case .violence: [.partner, .threat, .abuse, .child, .someoneElse, .carer]
    case .emergency: [.medical, .poisoning, .gas, .child, .someoneElse]
    }
  }
}
