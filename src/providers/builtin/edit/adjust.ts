import { z } from "zod";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput, pictureField } from "../input.ts";
import { defineOperation } from "./operation.ts";

const factor = (title: string) =>
  z
    .number()
    .min(0)
    .max(3)
    .default(1)
    .meta({ title, description: "1 leaves it as it is; 0.5 is half, 2 is double." });

export const adjust = defineOperation({
  id: "edit/adjust",
  name: "Adjust",
  description:
    "Changes brightness, contrast, saturation and hue. Sharpens, blurs or removes color.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to adjust."),
    brightness: factor("Brightness"),
    contrast: factor("Contrast"),
    saturation: factor("Saturation"),
    hue: z
      .int()
      .min(-180)
      .max(180)
      .default(0)
      .meta({ title: "Hue", description: "Degrees around the color wheel." }),
    sharpen: z
      .number()
      .min(0)
      .max(10)
      .default(0)
      .meta({ title: "Sharpen", description: "Radius in pixels; 0 does nothing." }),
    blur: z
      .number()
      .min(0)
      .max(100)
      .default(0)
      .meta({ title: "Blur", description: "Radius in pixels; 0 does nothing, else at least 0.3." }),
    grayscale: z.boolean().default(false).meta({ title: "Black and white" }),
  }),
  apply([picture], settings) {
    const { brightness, contrast, saturation, hue, sharpen, blur, grayscale } = settings;
    const least = 0.3;
    for (const field of ["blur", "sharpen"] as const) {
      if (settings[field] > 0 && settings[field] < least)
        throw invalidInput(field, sentences.media.zeroOrLeast({ least }));
    }
    let pipeline = picture!.open();
    if (brightness !== 1 || saturation !== 1 || hue !== 0)
      pipeline = pipeline.modulate({ brightness, saturation, hue });
    // Around middle gray, in 8-bit steps.
    if (contrast !== 1) pipeline = pipeline.linear(contrast, 128 * (1 - contrast));
    if (grayscale) pipeline = pipeline.grayscale();
    if (blur) pipeline = pipeline.blur(blur);
    if (sharpen) pipeline = pipeline.sharpen({ sigma: sharpen });
    return { pipeline };
  },
});
