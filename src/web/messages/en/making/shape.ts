/** Messages of structured output in Chat, loaded with it. */
export const shape = {
  "shape.title": "Structured output",
  "shape.on": "On",
  "shape.off": "Off",
  "shape.label": "JSON Schema",
  "shape.hint":
    "Every answer in this conversation is JSON that matches the schema. Leave it empty for text answers.",
  "shape.cannot":
    "{name} does not support structured output here. Choose another model, or remove the schema.",
  "shape.wrong.json": "This is not JSON: {message}",
  "shape.wrong.jsonLine": "Line {line} is not JSON. {message}",
  "shape.wrong.schema": "This is not a JSON Schema. {message}",
  "shape.wrong.schemaLine": "Line {line}: {message}",
  "shape.wrong.long": "A schema can have at most {most, number} characters.",
  "shape.remove": "Remove schema",
  "shape.answer": "Answer as JSON",
  "shape.matches": "Matches its schema",
  "shape.fails": "Does not match its schema",
  "shape.notJson": "This is not JSON, so it does not match its schema.",
  "shape.at": "{path}: {message}",
  "shape.root": "The answer",
  "shape.raw": "Raw",
  "shape.tree": "Tree",
  "shape.items": "{count, plural, =0 {empty} one {# entry} other {# entries}}",
} as const;
