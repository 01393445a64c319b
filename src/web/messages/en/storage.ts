/** Messages of file storage, in Home and Admin. */
export const storage = {
  "storage.trouble": "File storage is failing",
  "storage.copy": "The files belong to another Bottega",
  "storage.copy.text":
    "This server deletes none of them and saves its own files separately. To take them over, stop the other server. Then run “bottega take-over”.",
};
