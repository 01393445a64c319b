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

/** Steps that can be undone; older ones are permanent. */
const maxUndo = 60;

export type DrawingState = { canUndo: boolean; canRedo: boolean; isBlank: boolean };

/**
 * The drawing: an opaque bitmap with its history, copied to the canvas on screen. It outlives the
 * canvas element, so that switching tabs on a phone or resizing the window loses nothing.
 */
export function createDrawing() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = drawingSize;
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: false })!;
  blank(context);
  /** Holds the permanent operations. */
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
    const { forGood, rest } = settled(added(history, operation), maxUndo);
    for (const old of forGood) paintOperation(groundContext, old);
    if (forGood.length > 0) groundIsBlank = forGood.at(-1)?.type === "clear";
    history = rest;
  }

  return {
    /** Sets the canvas to paint on; null when it unmounts. */
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
    /** Discards a stroke if a second finger makes it a pinch. */
    abandon() {
      if (!stroke) return;
      stroke = undefined;
      repaint();
      changed();
    },
    putPicture(picture: ImageBitmap, isRestored = false) {
      const operation: Operation = {
        type: "picture",
        picture,
        ...fitted(picture.width, picture.height),
      };
      paintOperation(context, operation);
      add(operation);
      changed(isRestored);
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
    /** Starts from a saved drawing; this can't be undone. */
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
    /**
     * JPEG, which every realtime model reads; at this quality half the bytes of a photo and no
     * visible difference on strokes.
     */
    toJpeg: (): Promise<Blob | null> =>
      new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.82)),
    toPng: (): Promise<Blob | null> =>
      new Promise((resolve) => canvas.toBlob(resolve, "image/png")),
    /** Synchronous, for a page that is closing. */
    toDataUrl: () => canvas.toDataURL("image/jpeg", 0.92),
    version: () => version,
    state: () => state,
    /** `isRestored` marks a change that isn't a stroke and starts no session. */
    subscribe(listener: (isRestored: boolean) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
export type Drawing = ReturnType<typeof createDrawing>;
