/** Messages of Activity. */
export const activity = {
  "activity.filter": "Status",
  "activity.filter.all": "All",
  "activity.filter.open": "Active",
  "activity.filter.unconfirmed": "Unconfirmed",
  "activity.filter.ended": "Finished",
  "activity.task": "Task",
  "activity.task.any": "All tasks",
  "activity.unconfirmed.intro":
    "The provider may have run these. Bottega never resends them automatically. Check before paying again.",
  "activity.now": "Now",
  "activity.empty": "Nothing has run yet",
  "activity.empty.text":
    "Every answer, picture and edit in this project is a run, listed here live.",
  "activity.empty.ask": "Ask the guide",
  "activity.empty.make": "Make a picture",
  "activity.none": "No matching runs",
  "activity.none.text": "No run in this project matches the filter.",
  "activity.none.clear": "Show all runs",
} as const;
