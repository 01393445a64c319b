import {
  type Diagram,
  type DiagramAnswer,
  type DiagramAsk,
  type DiagramFailure,
  diagramLimits,
  diagramPage,
  frameReady,
  readAnswer,
} from "./protocol.ts";

const maxLoadMs = 30_000;
const maxDrawMs = 10_000;
/** Mermaid takes some MB of memory, which is freed when the page draws nothing more. */
const idleMs = 60_000;
const maxKept = 40;

export type Drawn = Diagram | { failure: DiagramFailure };

type Frame = {
  ready: Promise<void>;
  answer(ask: DiagramAsk): Promise<DiagramAnswer>;
  remove(): void;
};

let frame: Frame | undefined;
let idle: number | undefined;
let lastId = 0;
/**
 * Diagrams are drawn in sequence, and a diagram that never finishes delays the others only until
 * its timeout.
 */
let queue: Promise<unknown> = Promise.resolve();
const known = new Map<string, Diagram>();

/** Draws a diagram in an isolated frame. Never throws. */
export function drawDiagram(given: Omit<DiagramAsk, "id">): Promise<Drawn> {
  if (given.code.length > diagramLimits.characters) return Promise.resolve({ failure: "large" });
  const key = JSON.stringify(given);
  const drawn = queue.then(() => known.get(key) ?? drawNow(given));
  queue = drawn;
  void drawn.then((picture) => {
    if ("failure" in picture) return;
    known.delete(key);
    known.set(key, picture);
    const oldest = known.keys().next();
    if (known.size > maxKept && !oldest.done) known.delete(oldest.value);
  });
  return drawn;
}

async function drawNow(given: Omit<DiagramAsk, "id">): Promise<Drawn> {
  window.clearTimeout(idle);
  frame ??= openFrame();
  const used = frame;
  try {
    if ((await within(used.ready, maxLoadMs)) === late) return give({ failure: "missing" });
    const answer = await within(used.answer({ ...given, id: ++lastId }), maxDrawMs);
    if (answer === late) return give({ failure: "slow" });
    idle = window.setTimeout(() => give(null), idleMs);
    const { id: _, ...drawn } = answer;
    return drawn;
  } catch {
    return give({ failure: "missing" });
  }
}

/** Removes the frame, which ends its work. */
function give<Result>(result: Result): Result {
  frame?.remove();
  frame = undefined;
  return result;
}

const late = Symbol("late");

function within<Value>(wanted: Promise<Value>, ms: number): Promise<Value | typeof late> {
  let timer: number | undefined;
  const end = new Promise<typeof late>((resolve) => {
    timer = window.setTimeout(() => resolve(late), ms);
  });
  return Promise.race([wanted, end]).finally(() => window.clearTimeout(timer));
}

/**
 * The frame's scripts have an opaque origin: no cookies, no storage, no access to this page. The
 * hidden frame is laid out, because Mermaid measures text in it.
 */
function openFrame(): Frame {
  const element = document.createElement("iframe");
  element.setAttribute("sandbox", "allow-scripts");
  element.src = diagramPage;
  element.title = "";
  element.tabIndex = -1;
  element.ariaHidden = "true";
  Object.assign(element.style, {
    position: "fixed",
    inset: "0 auto auto 0",
    width: "900px",
    height: "600px",
    border: "0",
    visibility: "hidden",
    zIndex: "-1",
  });
  const asked = new Map<number, (answer: DiagramAnswer) => void>();
  const ready = Promise.withResolvers<void>();
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    // A frame with an opaque origin reports "null", as other frames may, so the window is compared
    // as well.
    if (source !== element.contentWindow || origin !== "null") return;
    if (data === frameReady) return ready.resolve();
    const answer = readAnswer(data);
    if (!answer) return;
    asked.get(answer.id)?.(answer);
    asked.delete(answer.id);
  };
  window.addEventListener("message", onMessage);
  document.body.append(element);
  return {
    ready: ready.promise,
    answer: (ask) =>
      new Promise((resolve) => {
        asked.set(ask.id, resolve);
        // An opaque origin can't be named as the target.
        element.contentWindow?.postMessage(ask, "*");
      }),
    remove() {
      window.removeEventListener("message", onMessage);
      element.remove();
    },
  };
}
