/** Words of the file storage: on home and in the admin. */
export const storage = {
  "storage.trouble": "The file storage does not work",
  "storage.copy": "The files belong to another Bottega",
  "storage.copy.text":
    "This server deletes none of them and saves its own files apart. To make them its own, stop the other one, then run “bottega take-over”.",
};
