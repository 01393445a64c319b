/** Messages of file storage, in Home and Admin. */
export const storage = {
  "storage.trouble": "File storage is failing",
  "storage.trouble.text":
    "{trouble} New runs are refused, and results are saved once the storage works again.",
  "storage.backup.old": "The last backup is old",
  "storage.backup.failed": "The last backup failed",
  "storage.backup.incomplete": "The last backup is missing files",
  "storage.backup.none": "There is no complete backup yet.",
  "storage.backup.last": "The last complete backup was made",
  "storage.backup.open": "Open backups",
  "storage.copy": "The files belong to another Bottega",
  "storage.copy.text":
    "This server doesn’t delete these files and saves its own separately. To take over the files, stop the other server. Then run “bottega take-over”.",
};
