const tallestPx = 420;

/** The size of the picture in the crop field: full width, with a height limit. */
export const cropFrame = ({ width, height }: { width: number; height: number }) => ({
  aspectRatio: `${width} / ${height}`,
  maxWidth: (tallestPx * width) / height,
});
