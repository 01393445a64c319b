/** The drawing's size in pixels: the size of realtime models, independent of the size on screen. */
export const drawingSize = 768;
const paper = "#ffffff";

/**
 * x and y are in the drawing's pixels; pressure is from 0 to 1, as reported by a pen (0.5 for touch
 * or a mouse).
 */
export type Point = { x: number; y: number; pressure: number };
export type Stroke = {
  type: "stroke";
  tool: "brush" | "eraser";
  color: string;
  size: number;
  points: Point[];
};
export type Operation =
  | Stroke
  | { type: "picture"; picture: ImageBitmap; x: number; y: number; width: number; height: number }
  | { type: "clear" };

type Context = CanvasRenderingContext2D;

/** The lightest touch is about a third as wide as the firmest. */
export const widthAt = (size: number, pressure: number): number =>
  size * (0.34 + 0.66 * Math.sqrt(Math.min(1, Math.max(0, pressure))));

/** Paints a stroke starting at a point, as curves through the midpoints. */
export function paintStroke(context: Context, stroke: Stroke, from = 0): void {
  const { points, size } = stroke;
  context.strokeStyle = context.fillStyle = stroke.tool === "eraser" ? paper : stroke.color;
  context.lineCap = "round";
  context.lineJoin = "round";
  const [first] = points;
  if (first && from === 0) {
    context.beginPath();
    context.arc(first.x, first.y, widthAt(size, first.pressure) / 2, 0, 2 * Math.PI);
    context.fill();
  }
  for (let i = Math.max(1, from); i < points.length; i++) {
    const [before, last, next] = [points[i - 2] ?? points[i - 1]!, points[i - 1]!, points[i]!];
    context.lineWidth = widthAt(size, (last.pressure + next.pressure) / 2);
    context.beginPath();
    context.moveTo((before.x + last.x) / 2, (before.y + last.y) / 2);
    context.quadraticCurveTo(last.x, last.y, (last.x + next.x) / 2, (last.y + next.y) / 2);
    context.stroke();
  }
}

/** Paints the end of a stroke, beyond the last midpoint. */
export function paintTip(context: Context, stroke: Stroke): void {
  const [last, before] = [stroke.points.at(-1), stroke.points.at(-2)];
  if (!last || !before) return;
  context.lineWidth = widthAt(stroke.size, last.pressure);
  context.beginPath();
  context.moveTo((before.x + last.x) / 2, (before.y + last.y) / 2);
  context.lineTo(last.x, last.y);
  context.stroke();
}

export function paintOperation(context: Context, operation: Operation): void {
  if (operation.type === "stroke") {
    paintStroke(context, operation);
    paintTip(context, operation);
  } else if (operation.type === "clear") blank(context);
  else
    context.drawImage(
      operation.picture,
      operation.x,
      operation.y,
      operation.width,
      operation.height,
    );
}

export function blank(context: Context): void {
  context.fillStyle = paper;
  context.fillRect(0, 0, drawingSize, drawingSize);
}

/** The largest centered size that fits. */
export function fitted(
  width: number,
  height: number,
): { x: number; y: number; width: number; height: number } {
  const scale = Math.min(drawingSize / width, drawingSize / height);
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  return {
    ...size,
    x: Math.round((drawingSize - size.width) / 2),
    y: Math.round((drawingSize - size.height) / 2),
  };
}
