/** Apart from the schema, which would bring zod into the browser. */
export const feedbackValues = ["up", "down"] as const;

/** The reasons for a rating, positive or negative. */
export const feedbackReasons = [
  "accuracy",
  "completeness",
  "instructions",
  "style",
  "length",
] as const;
