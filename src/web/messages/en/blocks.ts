/** Messages of the actions on code and tables of an answer, loaded with them. */
export const blocks = {
  "blocks.wrap": "Wrap lines",
  "blocks.download.code": "Download code",
  "blocks.copy.table": "Copy table",
  "blocks.download.table": "Download as CSV",
};
