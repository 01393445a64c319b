/** Texts of the shape of answers, in chat. Loaded with it. */
export const shape = {
  "shape.title": "Shape of the answers",
  "shape.label": "JSON Schema",
  "shape.hint":
    "Every answer of this conversation is JSON that matches it. Leave it empty for answers in words.",
  "shape.cannot":
    "{name} does not answer in a given shape here: choose another model, or take it out.",
  "shape.wrong.json": "This is no JSON: {message}",
  "shape.wrong.jsonLine": "Line {line}: this is no JSON. {message}",
  "shape.wrong.schema": "This is no JSON Schema. {message}",
  "shape.wrong.schemaLine": "Line {line}: {message}",
  "shape.wrong.long": "A schema has at most {most, number} characters.",
  "shape.kept": "Kept. It holds from the next answer on.",
  "shape.remove": "Answers in words again",
  "shape.answer": "Answer as JSON",
  "shape.matches": "Matches its schema",
  "shape.fails": "Does not match its schema",
  "shape.notJson": "This is no JSON, so it does not match its schema.",
  "shape.at": "{path}: {message}",
  "shape.root": "The answer",
  "shape.raw": "As it came",
  "shape.tree": "As a tree",
  "shape.items": "{count, plural, =0 {empty} one {# entry} other {# entries}}",
} as const;
