/** Texts of the part of chat that says what of a long conversation is sent. Loaded with it. */
export const context = {
  "context.title": "What is sent of this conversation",
  "context.meter": "{shown}. {use} Choose what is sent",
  "context.calm": "{share} of the context",
  "context.near": "Context {share} full",
  "context.over": "Does not fit",
  "context.unknown.short": "Context unknown",
  "context.use":
    "{tokens} of the {most} tokens that {name} reads at once, and up to {answer} for the answer.",
  "context.use.about":
    "About {tokens} of the {most} tokens that {name} reads at once, and up to {answer} for the answer.",
  "context.use.unknown": "{tokens} tokens. How many {name} reads at once is not known.",
  "context.use.unknownAbout": "About {tokens} tokens. How many {name} reads at once is not known.",
  "context.use.uncounted":
    "{count, plural, one {One file can’t be counted beforehand and comes on top.} other {# files can’t be counted beforehand and come on top.}}",
  "context.way": "What to do",
  "context.way.drop": "Drop the oldest",
  "context.way.summary": "Summarise",
  "context.way.branch": "Go back",
  "context.drop.hint":
    "What comes before is not sent any more. It stays here, and can be sent again at any time.",
  "context.summary.hint":
    "A model sums up what comes before. You can read and change its words; the messages stay here.",
  "context.branch.hint":
    "Goes on from before this message, as a branch. What was said since stays on the other branch.",
  "context.points": "Where it is cut",
  "context.point": "From “{words}” on",
  "context.point.wordless": "a message without words",
  "context.point.tokens": "about {tokens} tokens from here on",
  "context.noPoints":
    "There is one question so far: nothing can be left out before it. Shorten it, or choose a model with a larger context.",
  "context.drop": "{count, plural, one {Leave out # message} other {Leave out # messages}}",
  "context.summarise": "{count, plural, one {Summarise # message} other {Summarise # messages}}",
  "context.summarise.priced":
    "{count, plural, one {Summarise # message, {price}} other {Summarise # messages, {price}}}",
  "context.summary.model": "Summarised by",
  "context.branch": "Go on from there",
  "context.branched": "Back at an earlier message",
  "context.dropped":
    "{count, plural, one {# earlier message is not sent any more} other {# earlier messages are not sent any more}}",
  "context.notSent":
    "{count, plural, one {# earlier message is not sent} other {# earlier messages are not sent}}",
  "context.notSent.summary":
    "{count, plural, one {# earlier message is not sent; this summary is} other {# earlier messages are not sent; this summary is}}",
  "context.show": "{count, plural, one {Show it} other {Show them}}",
  "context.hide": "{count, plural, one {Hide it} other {Hide them}}",
  "context.sendAgain": "{count, plural, one {Send it again} other {Send them again}}",
  "context.summary": "Summary",
  "context.summary.by": "Summary by {name}",
  "context.summary.coming": "Being summarised. Until then all is sent as before.",
  "context.summary.failed":
    "The summary did not come to its end. Nothing has changed: all is sent as before.",
  "context.summary.again": "Summarise again",
  "context.summary.edit": "Change the summary",
  "context.summary.copy": "Copy the summary",
  "context.summary.label": "The summary",
  "context.summary.save": "Save the summary",
  "context.summary.stop": "Stop",
} as const;
