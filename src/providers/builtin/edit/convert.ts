import { z } from "zod";
import { pictureField } from "../input.ts";
import { color, defineOperation } from "./operation.ts";

export const convert = defineOperation({
  id: "edit/convert",
  name: "Convert",
  description:
    "Writes a picture in another format. Metadata such as the place a photo was taken is left out.",
  schema: z.strictObject({
    image: pictureField("Picture", "The picture to convert."),
    format: z.enum(["png", "jpeg", "webp", "avif"]).default("webp").meta({ title: "Format" }),
    quality: z.int().min(1).max(100).default(85).meta({
      title: "Quality",
      description: "1 to 100, for JPEG, WebP and AVIF. PNG is always exact.",
    }),
    background: color("Background", "Replaces transparency in formats without it (JPEG).").default(
      "#ffffff",
    ),
  }),
  apply([picture], { format, quality, background }) {
    return { pipeline: picture!.open(), format, quality, background };
  },
});
