import { z } from "zod";
import { limits } from "#contract/limits.ts";
import { invalidInput, pictureField } from "../input.ts";
import { colour, defineOperation, pixels, sideMost } from "./operation.ts";

export const resize = defineOperation({
  id: "edit/resize",
  name: "Resize",
  description: "Makes a picture smaller or larger. With one side given, the other follows.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to resize."),
    width: pixels("Width").optional(),
    height: pixels("Height").optional(),
    fit: z.enum(["inside", "cover", "contain", "fill"]).default("inside").meta({
      title: "Fit",
      description:
        "Inside: the whole picture within the size. Cover: fills the size, cuts what is over. Contain: fills up with the background. Fill: stretches.",
    }),
    background: colour("Background", "Fills what “contain” leaves free.").default("#ffffff"),
  }),
  apply([picture], { width, height, fit, background }) {
    if (!width && !height) throw invalidInput("width", "Give a width, a height or both.");
    const whole = picture!;
    const ratio = whole.width / whole.height;
    const [wide, tall] = [
      width ?? Math.round(height! * ratio),
      height ?? Math.round(width! / ratio),
    ];
    const field = width ? "width" : "height";
    if (Math.max(wide, tall) > sideMost)
      throw invalidInput(field, `The other side would be longer than ${sideMost} pixels.`);
    if (wide * tall > limits.imagePixels)
      throw invalidInput(
        field,
        `${wide} x ${tall} is more than ${limits.imagePixels / 1e6} megapixels.`,
      );
    return { pipeline: whole.open().resize({ width, height, fit, background }) };
  },
});
