/** A picture in a window: scale 1 is one picture px to one CSS px; x and y move its middle from the window's, in CSS px. */
export type Zoom = { scale: number; x: number; y: number };
export type Size = { width: number; height: number };

const most = 16;

/** The scale at which all of the picture is seen; never enlarged. */
export const fitScale = (picture: Size, window: Size): number =>
  Math.min(
    1,
    window.width / Math.max(1, picture.width),
    window.height / Math.max(1, picture.height),
  );

/** Keeps the picture in its window: what is smaller stays in the middle, what is larger has no gap at an edge. */
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

/** Scales about a point, given from the window's middle: what is under it stays under it. */
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
