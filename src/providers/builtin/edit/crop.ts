import { z } from "zod";
import { invalidInput, pictureField } from "../input.ts";
import { defineOperation, pixels } from "./operation.ts";

export const crop = defineOperation({
  id: "edit/crop",
  name: "Crop",
  description: "Cuts a rectangle out of a picture.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to cut from."),
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
        `${size}: ${x} + ${width} goes past its right edge.`,
      );
    if (y + height > whole.height)
      throw invalidInput(
        y < whole.height ? "height" : "y",
        `${size}: ${y} + ${height} goes past its lower edge.`,
      );
    return { pipeline: whole.open().extract({ left: x, top: y, width, height }) };
  },
});
