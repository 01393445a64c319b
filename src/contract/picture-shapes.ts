/** Shapes that a picture or a film can be asked for in, width to height: one word for what each model's form calls differently. */
export const pictureShapes = ["1:1", "4:3", "3:4", "3:2", "2:3", "16:9", "9:16", "21:9"] as const;
export type PictureShape = (typeof pictureShapes)[number];
