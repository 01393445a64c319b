import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A piece of code with the class of its kind; null where it has none. */
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

/** Colors a closed piece of code, in a chunk of its own. Null for a language that isn't known. */
export function highlight(code: string, language: string): CodePiece[] | null {
  if (!lowlight.registered(language)) return null;
  return flatten(lowlight.highlight(language, code).children, null, []);
}
