/** Messages of the actions on code and tables of an answer, loaded with them. */
export const blocks = {
  "blocks.wrap": "Wrap lines",
  "blocks.download.code": "Download code",
  "blocks.copy.table": "Copy table",
  "blocks.download.table": "Download as CSV",
  "blocks.diagram": "Diagram",
  "blocks.diagram.titled": "Diagram: {title}",
  "blocks.diagram.code": "Show code",
  "blocks.diagram.show": "Show diagram",
  "blocks.diagram.copy": "Copy as SVG",
  "blocks.diagram.download": "Download as SVG",
  "blocks.diagram.syntax": "This diagram’s code has an error, so it can’t be drawn.",
  "blocks.diagram.large": "This diagram is too large to be drawn here.",
  "blocks.diagram.slow": "Drawing this diagram took too long.",
  "blocks.diagram.missing":
    "The part that draws diagrams did not load. Reload the page to try again.",
};
