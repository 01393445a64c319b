/**
 * Shapes of pictures and videos, width to height: a common name for what each model's form names
 * differently.
 */
export const pictureShapes = ["1:1", "4:3", "3:4", "3:2", "2:3", "16:9", "9:16", "21:9"] as const;
export type PictureShape = (typeof pictureShapes)[number];
