/** Words of the primitives, and of money, sizes and times. */
export const ui = {
  "ui.cancel": "Cancel",
  "ui.close": "Close",
  "ui.clear": "Clear",
  "ui.remove": "Remove",
  "ui.undo": "Undo",
  "ui.tryAgain": "Try again",
  "ui.copy": "Copy",
  "ui.copied": "Copied",
  "ui.save": "Save",
  "ui.loading": "Loading",
  "ui.slider.typed": "{label}, as a number",

  "error.unreachable": "The server could not be reached.",
  "error.unreachable.advice": "Check your connection, then try again. What you typed is kept.",
  "error.id": "id {id}",

  "money.about": "about {amount}",
  "money.atMost": "at most {amount}",
  "money.unknown": "price unknown",
  "money.free": "free",

  "time.now": "just now",
  "time.minutes": "{count, plural, one {# minute ago} other {# minutes ago}}",
  "time.hours": "{count, plural, one {# hour ago} other {# hours ago}}",
  "time.today": "today {time}",
  "time.yesterday": "yesterday {time}",
  "day.today": "Today",
  "day.yesterday": "Yesterday",
  "duration.seconds": "{seconds} s",
  "duration.minutes": "{minutes} min {seconds} s",
  "duration.hours": "{hours} h {minutes} min",
} as const;
