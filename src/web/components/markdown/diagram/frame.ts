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
 * Runs in a frame without an origin: what a model wrote is drawn here, where no script of it could reach the page, its storage or any
 * network. The page is told the picture's text, and shows it as a picture.
 */
const owner = new URL(location.href).origin;
const say = (message: unknown) => parent.postMessage(message, owner);

let drawing = Promise.resolve();
addEventListener("message", (event) => {
  const ask = event.source === parent && event.origin === owner ? readAsk(event.data) : undefined;
  // Mermaid keeps its settings to itself: one after the other.
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
  // Words of the picture's own: HTML inside it is not shown by every program that opens it.
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

/** As XML with a size of its own, which Mermaid leaves to the page. */
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
