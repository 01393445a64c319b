import { z } from "zod";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput, pictureField } from "../input.ts";
import { color, defineOperation, pixels, sideMost } from "./operation.ts";

export const resize = defineOperation({
  id: "edit/resize",
  name: "Resize",
  description: "Resizes a picture. With one side set, the other follows.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to resize."),
    width: pixels("Width").optional(),
    height: pixels("Height").optional(),
    fit: z.enum(["inside", "cover", "contain", "fill"]).default("inside").meta({
      title: "Fit",
      description:
        "Inside: fits within the size. Cover: fills the size and crops. Contain: adds background. Fill: stretches.",
    }),
    background: color("Background", "Fills the space that “contain” leaves empty.").default(
      "#ffffff",
    ),
  }),
  apply([picture], { width, height, fit, background }) {
    if (!width && !height) throw invalidInput("width", sentences.media.enterSide);
    const whole = picture!;
    const ratio = whole.width / whole.height;
    const [wide, tall] = [
      width ?? Math.round(height! * ratio),
      height ?? Math.round(width! / ratio),
    ];
    const field = width ? "width" : "height";
    if (Math.max(wide, tall) > sideMost)
      throw invalidInput(field, sentences.media.sideTooLong({ side: sideMost }));
    if (wide * tall > limits.imagePixels)
      throw invalidInput(
        field,
        sentences.media.pictureTooLarge({
          width: wide,
          height: tall,
          megapixels: limits.imagePixels / 1e6,
        }),
      );
    return { pipeline: whole.open().resize({ width, height, fit, background }) };
  },
});
