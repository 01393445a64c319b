/** Messages of the conversations in the trash, loaded with their list. */
export const chatTrash = {
  "chatTrash.list": "Conversations in the trash",
  "chatTrash.empty":
    "Your deleted conversations appear here for 30 days. Only you can see and restore them.",
  "chatTrash.left":
    "{days, plural, =0 {Deleted for good today} one {# day left} other {# days left}}",
  "chatTrash.note":
    "In the trash since {when}. {days, plural, =0 {It’s deleted for good today} one {It’s deleted for good in # day} other {It’s deleted for good in # days}}.",
  "chatTrash.restore": "Restore",
  "chatTrash.restore.named": "Restore {title}",
  "chatTrash.restored": "Restored “{title}”",
  "chatTrash.delete": "Delete for good",
  "chatTrash.delete.named": "Delete {title} for good",
  "chatTrash.delete.title": "Delete “{title}” for good?",
  "chatTrash.delete.text":
    "Its messages and all its branches are gone at once, for you and for everyone you shared it with. You can’t undo this.",
  "chatTrash.delete.stays": "Its files stay in the library, and what it cost stays in the books.",
  "chatTrash.deleted": "Deleted “{title}”",
} as const;
