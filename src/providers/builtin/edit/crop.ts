import type openSharp from "sharp";
import type { Sharp } from "sharp";
import { z } from "zod";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  alongPicture,
  isInRotated,
  rotatedPlace,
  rotatedSize,
  straightenMost,
} from "#domain/files/rotated-picture.ts";
import { invalidInput, pictureField } from "../input.ts";
import { defineOperation, type Picture, pixels } from "./operation.ts";

export const crop = defineOperation({
  id: "edit/crop",
  name: "Crop",
  description: "Crops a picture to a rectangle, and straightens it.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to crop."),
    // A picture that was read may be longer than `sideMost`, and so may its crop.
    x: pixels("Left", 0, limits.imageSidePixels).default(0),
    y: pixels("Top", 0, limits.imageSidePixels).default(0),
    width: pixels("Width", 1, limits.imageSidePixels),
    height: pixels("Height", 1, limits.imageSidePixels),
    angle: z.number().min(-straightenMost).max(straightenMost).default(0).meta({
      title: "Angle",
      description:
        "Degrees clockwise, before the crop. The rectangle is then measured in the turned picture.",
    }),
  }),
  async apply([picture], { x, y, width, height, angle }, sharp) {
    const whole = picture!;
    const area = rotatedSize(whole, angle);
    const size = `${whole.name} is ${area.width} x ${area.height} pixels`;
    if (x + width > area.width)
      throw invalidInput(
        x < area.width ? "width" : "x",
        sentences.media.cropPastRight({ size, x, width }),
      );
    if (y + height > area.height)
      throw invalidInput(
        y < area.height ? "height" : "y",
        sentences.media.cropPastBottom({ size, y, height }),
      );
    if (angle === 0) return { pipeline: whole.open().extract({ left: x, top: y, width, height }) };
    if (!isInRotated({ x, y, width, height }, whole, angle))
      throw invalidInput("angle", sentences.media.cropPastTurned({ picture: whole.name, angle }));
    return { pipeline: await turn(sharp, whole, { x, y, width, height }, angle) };
  },
});

const placeOf = (start: number, length: number, most: number): number =>
  Math.max(0, Math.min(Math.round(start), most - length));

/** Pixels repeated around the picture, so that its edge isn't blended with the empty corners. */
const edge = 4;

/**
 * Crops a rotated picture. Only the part around the rectangle is rotated, because a long picture's
 * bounding box may have many times its pixels.
 */
async function turn(
  sharp: typeof openSharp,
  picture: Picture,
  box: { x: number; y: number; width: number; height: number },
  angle: number,
): Promise<Sharp> {
  const { across, down, halfAcross, halfDown } = alongPicture(box, picture, angle);
  const [x, y] = [picture.width / 2 + across, picture.height / 2 + down];
  const left = Math.max(0, Math.floor(x - halfAcross) - edge);
  const top = Math.max(0, Math.floor(y - halfDown) - edge);
  const width = Math.min(picture.width, Math.ceil(x + halfAcross) + edge) - left;
  const height = Math.min(picture.height, Math.ceil(y + halfDown) + edge) - top;
  const extended = await picture
    .open()
    .extract({ left, top, width, height })
    .extend({ top: edge, bottom: edge, left: edge, right: edge, extendWith: "copy" })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const { data, info } = await sharp(extended, { limitInputPixels: false })
    .rotate(angle, { background: "#000000" })
    .png({ compressionLevel: 0 })
    .toBuffer({ resolveWithObject: true });
  // The part rotates about its own center.
  const center = rotatedPlace(x - left - width / 2, y - top - height / 2, angle);
  return sharp(data, { limitInputPixels: false }).extract({
    left: placeOf(info.width / 2 + center.x - box.width / 2, box.width, info.width),
    top: placeOf(info.height / 2 + center.y - box.height / 2, box.height, info.height),
    width: box.width,
    height: box.height,
  });
}
