/**
 * A picture in a window: scale 1 maps one picture px to one CSS px; x and y are the offset of its
 * center, in CSS px.
 */
export type Zoom = { scale: number; x: number; y: number };
export type Size = { width: number; height: number };

const most = 16;

/** The scale at which the whole picture fits; at most 1. */
export const fitScale = (picture: Size, window: Size): number =>
  Math.min(
    1,
    window.width / Math.max(1, picture.width),
    window.height / Math.max(1, picture.height),
  );

/**
 * Keeps the picture in its window: a smaller one stays centered, a larger one leaves no gap at an
 * edge.
 */
export function clampZoom({ scale, x, y }: Zoom, picture: Size, window: Size): Zoom {
  const least = Math.min(fitScale(picture, window), 1);
  const kept = Math.min(most, Math.max(least, scale));
  const room = (size: number, within: number) => Math.max(0, (size * kept - within) / 2);
  const [roomX, roomY] = [room(picture.width, window.width), room(picture.height, window.height)];
  return {
    scale: kept,
    x: Math.min(roomX, Math.max(-roomX, x)),
    y: Math.min(roomY, Math.max(-roomY, y)),
  };
}

/** Scales about a point, relative to the window's center, which stays in place. */
export function zoomAbout(
  zoom: Zoom,
  factor: number,
  at: { x: number; y: number },
  picture: Size,
  window: Size,
): Zoom {
  const least = Math.min(fitScale(picture, window), 1);
  const scale = Math.min(most, Math.max(least, zoom.scale * factor));
  const real = scale / zoom.scale;
  return clampZoom(
    { scale, x: at.x - (at.x - zoom.x) * real, y: at.y - (at.y - zoom.y) * real },
    picture,
    window,
  );
}

/**
 * The visible part, applicable to any picture of the same shape: `factor` times the fitting scale,
 * and the center's offset as shares of the drawn size.
 */
export type View = { factor: number; x: number; y: number };
export const wholeView: View = { factor: 1, x: 0, y: 0 };

/** The tolerance, because sizes are rounded to whole px. */
const sameShape = 0.005;
export const isSameShape = (a: Size, b: Size): boolean =>
  Math.abs((a.width * b.height) / (a.height * b.width) - 1) < sameShape;

export function toZoom(view: View, picture: Size, window: Size): Zoom {
  const scale = fitScale(picture, window) * view.factor;
  return clampZoom(
    { scale, x: view.x * picture.width * scale, y: view.y * picture.height * scale },
    picture,
    window,
  );
}

export const toView = ({ scale, x, y }: Zoom, picture: Size, window: Size): View => ({
  factor: scale / fitScale(picture, window),
  x: x / (picture.width * scale),
  y: y / (picture.height * scale),
});
