/** Messages of notifications and of a background tab's title, loaded after the page. */
export const notices = {
  "notices.text": "{what}: {title}",
  "notices.waits": "Needs approval",
} as const;
