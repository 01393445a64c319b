/** Messages of the conversation context, loaded with its meter. */
export const context = {
  "context.title": "Conversation context",
  "context.meter": "{shown}. {use} Choose context",
  "context.calm": "{share} of the context",
  "context.near": "Context {share} full",
  "context.over": "Does not fit",
  "context.unknown.short": "Context unknown",
  "context.use":
    "{name} uses {tokens} of {most} context tokens, plus up to {answer} for the answer.",
  "context.use.about":
    "{name} uses about {tokens} of {most} context tokens, plus up to {answer} for the answer.",
  "context.use.unknown": "{tokens} tokens. The context window of {name} is unknown.",
  "context.use.unknownAbout": "About {tokens} tokens. The context window of {name} is unknown.",
  "context.use.uncounted":
    "{count, plural, one {# file can’t be counted in advance and is not included.} other {# files can’t be counted in advance and are not included.}}",
  "context.way": "Action",
  "context.way.drop": "Drop oldest",
  "context.way.summary": "Summarize",
  "context.way.branch": "Go back",
  "context.drop.hint":
    "Earlier messages are no longer sent. They stay here, and you can send them again at any time.",
  "context.summary.hint":
    "A model summarizes the earlier messages. You can edit the summary, and the messages stay here.",
  "context.branch.hint":
    "Starts a branch before this message. Later messages stay on the other branch.",
  "context.points": "Cut point",
  "context.point": "From “{words}” on",
  "context.point.wordless": "a message without text",
  "context.point.tokens": "about {tokens} tokens from here on",
  "context.noPoints":
    "The conversation has only one question, so nothing earlier can be left out. Shorten it, or choose a model with a larger context window.",
  "context.drop": "{count, plural, one {Leave out # message} other {Leave out # messages}}",
  "context.summarise": "{count, plural, one {Summarize # message} other {Summarize # messages}}",
  "context.summarise.priced":
    "{count, plural, one {Summarize # message, {price}} other {Summarize # messages, {price}}}",
  "context.summary.model": "Summary model",
  "context.branch": "Start branch",
  "context.branched": "Went back to an earlier message",
  "context.dropped":
    "{count, plural, one {# earlier message is no longer sent} other {# earlier messages are no longer sent}}",
  "context.notSent":
    "{count, plural, one {# earlier message is not sent} other {# earlier messages are not sent}}",
  "context.notSent.summary":
    "{count, plural, one {This summary replaces # earlier message} other {This summary replaces # earlier messages}}",
  "context.show": "{count, plural, one {Show it} other {Show them}}",
  "context.hide": "{count, plural, one {Hide it} other {Hide them}}",
  "context.sendAgain": "{count, plural, one {Send it again} other {Send them again}}",
  "context.summary": "Summary",
  "context.summary.by": "Summary by {name}",
  "context.summary.coming": "Summarizing. Until it finishes, all messages are sent.",
  "context.summary.failed": "The summary failed. All messages are still sent.",
  "context.summary.again": "Summarize again",
  "context.summary.edit": "Edit summary",
  "context.summary.copy": "Copy summary",
  "context.summary.label": "Summary",
  "context.summary.save": "Save summary",
  "context.summary.stop": "Stop",
} as const;
