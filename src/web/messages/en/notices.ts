/** Messages of notifications and of the title of a tab that nobody looks at, loaded behind the page. */
export const notices = {
  "notices.text": "{what}: {title}",
  "notices.waits": "Needs approval",
} as const;
