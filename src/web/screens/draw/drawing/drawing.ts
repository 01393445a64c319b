import {
  added,
  canRedo,
  canUndo,
  emptyHistory,
  type History,
  present,
  redone,
  settled,
  undone,
} from "./history.ts";
import {
  blank,
  drawingSize,
  fitted,
  type Operation,
  type Point,
  paintOperation,
  paintStroke,
  paintTip,
  type Stroke,
} from "./paint.ts";

/** Steps that can be undone; older ones are painted for good. */
const undoMost = 60;

export type DrawingState = { canUndo: boolean; canRedo: boolean; isBlank: boolean };

/**
 * What is drawn: an opaque bitmap with its history, painted on whichever canvas shows it. It outlives the canvas's element,
 * so that a tab of a phone, or another width of the window, loses nothing.
 */
export function createDrawing() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = drawingSize;
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: false })!;
  blank(context);
  /** What can't be undone any more. */
  const ground = document.createElement("canvas");
  ground.width = ground.height = drawingSize;
  const groundContext = ground.getContext("2d", { alpha: false })!;
  blank(groundContext);

  let history: History<Operation> = emptyHistory;
  let groundIsBlank = true;
  let stroke: Stroke | undefined;
  let shown: HTMLCanvasElement | null = null;
  let version = 0;
  let state: DrawingState = { canUndo: false, canRedo: false, isBlank: true };
  const listeners = new Set<(isRestored: boolean) => void>();

  function show(): void {
    shown?.getContext("2d", { alpha: false })?.drawImage(canvas, 0, 0);
  }
  function changed(isRestored = false): void {
    version += 1;
    show();
    const last = present(history).at(-1);
    const isBlank = stroke === undefined && (last ? last.type === "clear" : groundIsBlank);
    state = { canUndo: canUndo(history), canRedo: canRedo(history), isBlank };
    for (const listener of listeners) listener(isRestored);
  }
  function repaint(): void {
    context.drawImage(ground, 0, 0);
    for (const operation of present(history)) paintOperation(context, operation);
  }
  function add(operation: Operation): void {
    const { forGood, rest } = settled(added(history, operation), undoMost);
    for (const old of forGood) paintOperation(groundContext, old);
    if (forGood.length > 0) groundIsBlank = forGood.at(-1)?.type === "clear";
    history = rest;
  }

  return {
    /** Paints itself on this canvas from now on; null when it goes away. */
    showOn(element: HTMLCanvasElement | null) {
      shown = element;
      show();
    },
    begin(tool: Stroke["tool"], color: string, size: number, point: Point) {
      stroke = { type: "stroke", tool, color, size, points: [point] };
      paintStroke(context, stroke);
      changed();
    },
    extend(points: readonly Point[]) {
      if (!stroke || points.length === 0) return;
      const from = stroke.points.length;
      stroke.points.push(...points);
      paintStroke(context, stroke, from);
      changed();
    },
    end() {
      if (!stroke) return;
      paintTip(context, stroke);
      const whole = stroke;
      stroke = undefined;
      add(whole);
      changed();
    },
    /** A stroke that turned out to be none: a second finger came. */
    abandon() {
      if (!stroke) return;
      stroke = undefined;
      repaint();
      changed();
    },
    putPicture(picture: ImageBitmap) {
      const operation: Operation = {
        type: "picture",
        picture,
        ...fitted(picture.width, picture.height),
      };
      paintOperation(context, operation);
      add(operation);
      changed();
    },
    clear() {
      if (state.isBlank) return;
      blank(context);
      add({ type: "clear" });
      changed();
    },
    undo() {
      history = undone(history);
      repaint();
      changed();
    },
    redo() {
      history = redone(history);
      repaint();
      changed();
    },
    /** What was kept on the device, or a recipe's drawing: it is the ground that is drawn on. */
    restore(picture: ImageBitmap) {
      blank(groundContext);
      paintOperation(groundContext, {
        type: "picture",
        picture,
        ...fitted(picture.width, picture.height),
      });
      groundIsBlank = false;
      history = emptyHistory;
      repaint();
      changed(true);
    },
    /** As JPEG, which every realtime model reads; half the bytes of a photograph's quality and no difference on strokes. */
    toJpeg: (): Promise<Blob | null> =>
      new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.82)),
    toPng: (): Promise<Blob | null> =>
      new Promise((resolve) => canvas.toBlob(resolve, "image/png")),
    /** At once, for a page that is being left. */
    toDataUrl: () => canvas.toDataURL("image/jpeg", 0.92),
    version: () => version,
    state: () => state,
    /** Told whether it was restored: that is no stroke of anybody's, and asks for nothing. */
    subscribe(listener: (isRestored: boolean) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
export type Drawing = ReturnType<typeof createDrawing>;
