/**
 * The messages between the page and the frame that draws diagrams. The frame has an opaque origin
 * and no network.
 */

export const diagramPage = "/diagram.html";

/**
 * Larger diagrams are neither fast nor readable: their layout takes more than a second, in some
 * browsers on the page's own thread.
 */
export const diagramLimits = { characters: 12_000, edges: 200, svgCharacters: 2_000_000 };

export const colorNames = [
  "paper",
  "paper-2",
  "paper-3",
  "line-2",
  "ink",
  "ink-2",
  "accent-wash",
] as const;
/** The theme's colors as "#rrggbb". */
export type DiagramColors = Record<(typeof colorNames)[number], string>;

export type DiagramAsk = { id: number; code: string; isDark: boolean; colors: DiagramColors };

export type Diagram = { svg: string; width: number; height: number; title: string };
export type DiagramFailure = "syntax" | "large" | "slow" | "missing";
export type DiagramAnswer =
  | ({ id: number } & Diagram)
  | { id: number; failure: Extract<DiagramFailure, "syntax" | "large"> };

/** The frame's first message. */
export const frameReady = "bottega diagram frame ready";

/**
 * Parses an answer from the frame. The frame draws untrusted diagrams, so every field is checked.
 */
export function readAnswer(data: unknown): DiagramAnswer | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { id, svg, width, height, title, failure } = data as Record<string, unknown>;
  if (typeof id !== "number") return undefined;
  if (failure === "syntax" || failure === "large") return { id, failure };
  const isSize = (value: unknown): value is number =>
    typeof value === "number" && value >= 1 && value <= 20_000;
  return typeof svg === "string" &&
    svg.startsWith("<svg") &&
    svg.length <= diagramLimits.svgCharacters &&
    typeof title === "string" &&
    isSize(width) &&
    isSize(height)
    ? { id, svg, width, height, title: title.slice(0, 200) }
    : undefined;
}

/** Parses a request from the page, checking every field. */
export function readAsk(data: unknown): DiagramAsk | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { id, code, isDark, colors } = data as Record<string, unknown>;
  return typeof id === "number" &&
    typeof code === "string" &&
    typeof isDark === "boolean" &&
    typeof colors === "object" &&
    colors !== null
    ? { id, code, isDark, colors: colors as DiagramColors }
    : undefined;
}
