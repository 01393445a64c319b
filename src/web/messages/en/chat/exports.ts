/** Messages of the dialog that exports a conversation, loaded with it. */
export const exports = {
  "exports.title": "Export conversation",
  "exports.format": "Format",
  "exports.format.page": "Page",
  "exports.format.md": "Markdown",
  "exports.format.json": "JSON",
  "exports.about.page":
    "A ZIP with a page and its files, to read offline and to print. It contains the branch on screen.",
  "exports.about.md": "One text file with the branch on screen. Files are listed by name.",
  "exports.about.json": "Every branch, for other programs. Files are listed by name.",
  "exports.costs": "Include the cost of each answer",
  "exports.download": "Download",
};
