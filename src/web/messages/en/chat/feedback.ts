/** Messages of ratings, loaded when one is given or shown. */
export const feedback = {
  "feedback.reasons": "Reasons",
  "feedback.reason.accuracy": "Accuracy",
  "feedback.reason.completeness": "Completeness",
  "feedback.reason.instructions": "Follows instructions",
  "feedback.reason.style": "Style",
  "feedback.reason.length": "Length",
  "feedback.text": "Reason",
  "feedback.text.hint": "Optional. Anyone who can read this conversation sees it.",
  "feedback.save": "Save reason",
  "feedback.remove": "Remove rating",
  "feedback.title": "Ratings",
  "feedback.by.up": "{person}: good answer",
  "feedback.by.down": "{person}: bad answer",
} as const;
