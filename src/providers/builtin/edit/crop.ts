import { z } from "zod";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput, pictureField } from "../input.ts";
import { defineOperation, pixels } from "./operation.ts";

export const crop = defineOperation({
  id: "edit/crop",
  name: "Crop",
  description: "Crops a picture to a rectangle.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to crop."),
    x: pixels("Left", 0).default(0),
    y: pixels("Top", 0).default(0),
    width: pixels("Width"),
    height: pixels("Height"),
  }),
  apply([picture], { x, y, width, height }) {
    const whole = picture!;
    const size = `${whole.name} is ${whole.width} x ${whole.height} pixels`;
    if (x + width > whole.width)
      throw invalidInput(
        x < whole.width ? "width" : "x",
        sentences.media.cropPastRight({ size, x, width }),
      );
    if (y + height > whole.height)
      throw invalidInput(
        y < whole.height ? "height" : "y",
        sentences.media.cropPastBottom({ size, y, height }),
      );
    return { pipeline: whole.open().extract({ left: x, top: y, width, height }) };
  },
});
