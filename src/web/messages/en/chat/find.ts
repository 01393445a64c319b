/** Messages of the search in an open conversation, loaded with it. */
export const find = {
  "find.place": "{place, number} of {count, number}",
  "find.place.newest": "{place, number} of the newest {count, number}",
  "find.none": "No matches",
  "find.before": "Previous match",
  "find.after": "Next match",
  "find.close": "Close search",
} as const;
