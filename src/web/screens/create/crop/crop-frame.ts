const tallestPx = 420;

/** The room that a picture to cut takes: as wide as there is, but not higher than one can look at. */
export const cropFrame = ({ width, height }: { width: number; height: number }) => ({
  aspectRatio: `${width} / ${height}`,
  maxWidth: (tallestPx * width) / height,
});
