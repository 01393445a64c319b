import { z } from "zod";
import { pictureField } from "../input.ts";
import { color, defineOperation } from "./operation.ts";

export const rotate = defineOperation({
  id: "edit/rotate",
  name: "Rotate and flip",
  description: "Rotates a picture clockwise and mirrors it.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to rotate."),
    angle: z
      .number()
      .min(-360)
      .max(360)
      .default(90)
      .meta({ title: "Angle", description: "Degrees, clockwise." }),
    flip: z.enum(["none", "horizontal", "vertical", "both"]).default("none").meta({
      title: "Flip",
      description: "Applied before rotation. Horizontal swaps left and right.",
    }),
    background: color(
      "Background",
      "Fills the corners unless the angle is a quarter turn.",
    ).default("#ffffff"),
  }),
  apply([picture], { angle, flip, background }, sharp) {
    const mirrored = picture!
      .open()
      .flop(flip === "horizontal" || flip === "both")
      .flip(flip === "vertical" || flip === "both");
    if (angle % 360 === 0) return { pipeline: mirrored };
    // Within one pipeline sharp rotates before it mirrors, so rotating after mirroring takes a
    // second one.
    return mirrored
      .png({ compressionLevel: 0 })
      .toBuffer()
      .then((bytes) => ({ pipeline: sharp(bytes).rotate(angle, { background }) }));
  },
});
