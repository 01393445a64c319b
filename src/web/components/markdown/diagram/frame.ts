import "./no-frames.ts";
import mermaid from "mermaid";
import {
  type DiagramAnswer,
  type DiagramAsk,
  diagramLimits,
  frameReady,
  readAsk,
} from "./protocol.ts";

/**
 * Runs in a frame with an opaque origin. A model's diagram is drawn here, where its scripts can't
 * reach the page, its storage or a network. The page receives the SVG's text and shows it as an
 * image.
 */
const owner = new URL(location.href).origin;
const say = (message: unknown) => parent.postMessage(message, owner);

let drawing = Promise.resolve();
addEventListener("message", (event) => {
  const ask = event.source === parent && event.origin === owner ? readAsk(event.data) : undefined;
  // Mermaid has global settings, so diagrams are drawn in sequence.
  if (ask) drawing = drawing.then(async () => say(await draw(ask)));
});
say(frameReady);

async function draw(ask: DiagramAsk): Promise<DiagramAnswer> {
  const { id, code } = ask;
  if (code.length > diagramLimits.characters) return { id, failure: "large" };
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  try {
    mermaid.initialize(settingsOf(ask));
    const { svg } = await mermaid.render(`diagram-${id}`, code, place);
    return { id, ...toPicture(svg) };
  } catch (error) {
    const isLarge = error instanceof TooLarge || /edges exceeded|too many edges/i.test(`${error}`);
    return { id, failure: isLarge ? "large" : "syntax" };
  } finally {
    document.body.replaceChildren();
  }
}

class TooLarge extends Error {}

const settingsOf = ({ isDark, colors }: DiagramAsk) => ({
  startOnLoad: false,
  securityLevel: "strict" as const,
  suppressErrorRendering: true,
  maxTextSize: diagramLimits.characters,
  maxEdges: diagramLimits.edges,
  // SVG text instead of HTML labels, which many SVG viewers don't show.
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  class: { htmlLabels: false },
  fontFamily: "system-ui, sans-serif",
  theme: "base" as const,
  themeVariables: {
    darkMode: isDark,
    background: colors.paper,
    mainBkg: colors["paper-2"],
    primaryColor: colors["paper-2"],
    primaryTextColor: colors.ink,
    primaryBorderColor: colors["line-2"],
    secondaryColor: colors["paper-3"],
    tertiaryColor: colors.paper,
    lineColor: colors["ink-2"],
    textColor: colors.ink,
    noteBkgColor: colors["accent-wash"],
    noteTextColor: colors.ink,
    noteBorderColor: colors["line-2"],
    edgeLabelBackground: colors.paper,
    fontFamily: "system-ui, sans-serif",
    fontSize: "14px",
  },
});

/** Converts the SVG to XML with an explicit size, which Mermaid leaves to the page. */
function toPicture(html: string) {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  const picture = holder.querySelector("svg");
  const { width, height } = picture?.viewBox.baseVal ?? { width: 0, height: 0 };
  if (!picture || !(width > 0) || !(height > 0)) throw new TooLarge();
  for (const element of picture.querySelectorAll("script, foreignObject script")) element.remove();
  picture.style.maxWidth = "";
  picture.setAttribute("width", String(Math.ceil(width)));
  picture.setAttribute("height", String(Math.ceil(height)));
  const svg = new XMLSerializer().serializeToString(picture);
  if (svg.length > diagramLimits.svgCharacters) throw new TooLarge();
  const title = picture.querySelector(":scope > title")?.textContent ?? "";
  return { svg, width: Math.ceil(width), height: Math.ceil(height), title };
}
