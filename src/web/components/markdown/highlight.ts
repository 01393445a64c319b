import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A piece of code with its token class; null if it has none. */
export type CodePiece = { text: string; className: string | null };

type HighlightNode = ReturnType<typeof lowlight.highlight>["children"][number];

function flatten(
  nodes: readonly HighlightNode[],
  className: string | null,
  pieces: CodePiece[],
): CodePiece[] {
  for (const node of nodes) {
    if (node.type === "text") pieces.push({ text: node.value, className });
    if (node.type !== "element") continue;
    const names = node.properties.className;
    flatten(
      node.children as HighlightNode[],
      Array.isArray(names) ? names.join(" ") : className,
      pieces,
    );
  }
  return pieces;
}

/** Highlights complete code, in a separate chunk. Null for an unknown language. */
export function highlight(code: string, language: string): CodePiece[] | null {
  if (!lowlight.registered(language)) return null;
  return flatten(lowlight.highlight(language, code).children, null, []);
}
