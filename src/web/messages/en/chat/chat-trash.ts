/** Messages of the conversations in the trash, loaded with their list. */
export const chatTrash = {
  "chatTrash.list": "Conversations in the trash",
  "chatTrash.empty":
    "Your deleted conversations appear here for 30 days. Only you can see and restore them.",
  "chatTrash.left":
    "{days, plural, =0 {Will be deleted today} one {# day left} other {# days left}}",
  "chatTrash.note":
    "In the trash since {when}. {days, plural, =0 {It will be deleted permanently today} one {It will be deleted permanently in # day} other {It will be deleted permanently in # days}}.",
  "chatTrash.restore": "Restore",
  "chatTrash.restore.named": "Restore {title}",
  "chatTrash.restored": "Restored “{title}”",
  "chatTrash.delete": "Delete permanently",
  "chatTrash.delete.named": "Delete {title} permanently",
  "chatTrash.delete.title": "Delete “{title}” permanently?",
  "chatTrash.delete.text":
    "Its messages and branches are deleted at once, for you and everyone you shared it with. You can’t undo this.",
  "chatTrash.delete.stays": "Its files stay in the library, and its costs stay in your usage.",
  "chatTrash.deleted": "Deleted “{title}”",
} as const;
