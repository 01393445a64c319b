/** Messages of answers side by side, loaded with them. */
export const answers = {
  "answers.label": "{count, plural, one {# answer} other {# answers side by side}}",
  "answers.column": "Answer {place, number}",
  "answers.next": "Your next message continues from {name}.",
  "answers.reserved": "{amount} reserved",
  "answers.compare": "Compare answers",
  "answers.merge": "Merge answers",
  "answers.merge.title": "{count, plural, other {Merge # answers}}",
  "answers.merge.text":
    "A model reads your message and these answers, then writes one answer from them.",
  "answers.merge.now": "Merge answers",
  "answers.merge.priced": "Merge answers, {price}",
} as const;
