import { grouped } from "../counts.ts";

/** Pictures and speech: their forms and limits. */
export const media = {
  textNeeded: "Enter the text to speak.",
  nothingToSpeak: "The voice can’t speak any of this text. It reads English letters and numbers.",
  lettersLeftOut: "The voice reads English. Unknown letters were left out.",
  voiceNeeded: "Choose a voice.",
  zeroOrLeast: ({ least }: { least: number }) => `Use 0 or at least ${least}.`,
  cropPastRight: ({ size, x, width }: { size: string; x: number; width: number }) =>
    `${size}: ${x} + ${width} extends past the right edge.`,
  cropPastBottom: ({ size, y, height }: { size: string; y: number; height: number }) =>
    `${size}: ${y} + ${height} extends past the bottom edge.`,
  tooManyPixels: ({
    picture,
    width,
    height,
    megapixels,
  }: {
    picture: string;
    width: number;
    height: number;
    megapixels: number;
  }) => `${picture} has ${width} x ${height} pixels, more than ${megapixels} megapixels.`,
  pictureUnreadable: ({ picture }: { picture: string }) =>
    `${picture} can’t be read as a picture. The file is damaged or of an unknown type.`,
  isHeic: ({ picture }: { picture: string }) =>
    `${picture} is a HEIC photo, which can’t be read here. Export it as JPEG and upload that.`,
  chooseTwo: "Choose at least two pictures.",
  joinTooLarge: ({
    width,
    height,
    megapixels,
    side,
  }: {
    width: number;
    height: number;
    megapixels: number;
    side: number;
  }) =>
    `The joined picture would be ${width} x ${height} pixels. The limit is ${megapixels} megapixels and ${side} pixels a side.`,
  colorForm: "Enter a color as #rrggbb.",
  enterSide: "Enter a width, a height or both.",
  sideTooLong: ({ side }: { side: number }) =>
    `The other side would be longer than ${side} pixels.`,
  pictureTooLarge: ({
    width,
    height,
    megapixels,
  }: {
    width: number;
    height: number;
    megapixels: number;
  }) => `${width} x ${height} is more than ${megapixels} megapixels.`,
  choosePicture: "Choose a picture.",
  pictureGone: "The chosen picture is no longer available. Choose it again.",
  cropPastTurned: ({ picture, angle }: { picture: string; angle: number }) =>
    `The rectangle reaches past the edge of ${picture}, turned by ${angle} degrees. Make it smaller or turn the picture less.`,
  notPicture: ({ file, type }: { file: string; type: string }) =>
    `${file} is not a picture (${type}).`,
  isSvg: ({ file }: { file: string }) =>
    `${file} is an SVG drawing. Choose a PNG, JPEG, WebP, AVIF, GIF or TIFF.`,
  readsNoPictures: ({ model }: { model: string }) =>
    `${model} can’t read pictures. Choose a model that can, or correct this model’s details.`,
  drawingUnreadable: "The drawing can’t be read as a picture.",
  promptNeeded: "Enter a prompt.",
  tooLargeToUpscale: ({
    picture,
    width,
    height,
    most,
  }: {
    picture: string;
    width: number;
    height: number;
    most: string;
  }) =>
    `${picture} has ${width} x ${height} pixels. Upscaling takes up to ${most} pixels (2048 x 2048). Resize the picture first.`,
  pngOrJpeg: "This model reads PNG and JPEG.",
  drawingTypeWrong: "The drawing does not have the picture type that it declares.",
  pictureTooLargeToRead: ({
    width,
    height,
    megapixels,
    side,
  }: {
    width: number;
    height: number;
    megapixels: number;
    side: number;
  }) =>
    `This picture has ${grouped(width)} x ${grouped(height)} pixels. The limit is ${grouped(megapixels)} megapixels and ${grouped(side)} pixels a side.`,
  pictureNotRead: ({ reason }: { reason: string }) => `This picture can’t be read: ${reason}.`,
};

/** Comparisons and votes. */
export const comparisons = {
  notAResult: "This file is an upload. Choose results that a model made.",
  madeElsewhere:
    "A file was made in another project. Move it back to compare it there, or leave it out.",
  inTrash: "This result is in the trash. Restore it before you compare it.",
  notAnAnswer: "This message is not a finished answer. Choose an answer of a model.",
  failedRun: "This run has no result. Choose a run that has one.",
  twice: "The comparison has the same result twice. Choose different results.",
  otherKinds: ({ one, other }: { one: string; other: string }) =>
    `A ${one} and a ${other} can’t be compared. Choose results of one kind.`,
  tooMany: ({ most }: { most: number }) => `A comparison can have at most ${most} results.`,
  voted: "Someone has voted or revealed the models. Start a new comparison to add results.",
  noSuchResult: "This comparison has no such result.",
  final: "Your vote is final, because you revealed the models.",
} as const;
