import { z } from "zod";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { invalidInput, pictureField } from "../input.ts";
import { color, defineOperation, type Picture, sideMost } from "./operation.ts";

type Place = { left: number; top: number; width: number; height: number };
type Plan = { width: number; height: number; places: Place[] };

export const join = defineOperation({
  id: "edit/join",
  name: "Join",
  description: "Joins pictures in a row, a column or a grid. No picture is enlarged.",
  schema: z.strictObject({
    images: z
      .array(pictureField("Picture", "One of the pictures."))
      .min(2, sentences.media.chooseTwo)
      .max(16)
      .meta({ title: "Pictures", description: "2 to 16, in their order." }),
    layout: z.enum(["row", "column", "grid"]).default("row").meta({
      title: "Layout",
      description: "Row: same height. Column: same width. Grid: equal cells.",
    }),
    columns: z
      .int()
      .min(1)
      .max(16)
      .optional()
      .meta({ title: "Columns", description: "For a grid. Empty: as square as possible." }),
    gap: z
      .int()
      .min(0)
      .max(400)
      .default(0)
      .meta({ title: "Gap", description: "Pixels between the pictures." }),
    background: color(
      "Background",
      "Fills the gaps and the space next to narrow pictures.",
    ).default("#ffffff"),
  }),
  async apply(pictures, { layout, columns, gap, background }, sharp) {
    const across = Math.min(pictures.length, columns ?? Math.ceil(Math.sqrt(pictures.length)));
    const plan =
      layout === "grid" ? planGrid(pictures, across, gap) : planLine(pictures, layout, gap);
    if (
      Math.max(plan.width, plan.height) > sideMost ||
      plan.width * plan.height > limits.imagePixels
    ) {
      throw invalidInput(
        "images",
        sentences.media.joinTooLarge({
          width: plan.width,
          height: plan.height,
          megapixels: limits.imagePixels / 1e6,
          side: sideMost,
        }),
      );
    }
    const parts = [];
    for (const [index, picture] of pictures.entries()) {
      const { left, top, width, height } = plan.places[index]!;
      const fitted = picture
        .open()
        .toColourspace("srgb")
        .resize({ width, height, fit: "inside" })
        .png({ compressionLevel: 0 });
      const { data, info } = await fitted.toBuffer({ resolveWithObject: true });
      parts.push({
        input: data,
        left: left + ((width - info.width) >> 1),
        top: top + ((height - info.height) >> 1),
      });
    }
    const { width, height } = plan;
    // Compositing is the last step of a pipeline, onto a flat picture with an opaque background.
    return {
      pipeline: sharp({ create: { width, height, channels: 3, background } }).composite(parts),
    };
  },
});

/** Scales all pictures to the height (row) or width (column) of the smallest. */
function planLine(pictures: readonly Picture[], layout: "row" | "column", gap: number): Plan {
  const isRow = layout === "row";
  const shared = Math.min(...pictures.map((picture) => (isRow ? picture.height : picture.width)));
  let end = 0;
  const places = pictures.map((picture): Place => {
    const long = Math.max(
      1,
      Math.round(
        isRow
          ? (picture.width * shared) / picture.height
          : (picture.height * shared) / picture.width,
      ),
    );
    const start = end;
    end += long + gap;
    return isRow
      ? { left: start, top: 0, width: long, height: shared }
      : { left: 0, top: start, width: shared, height: long };
  });
  return isRow
    ? { width: end - gap, height: shared, places }
    : { width: shared, height: end - gap, places };
}

/** Cells of the smallest width and height, with each picture centered in its cell. */
function planGrid(pictures: readonly Picture[], columns: number, gap: number): Plan {
  const [width, height] = [
    Math.min(...pictures.map((picture) => picture.width)),
    Math.min(...pictures.map((picture) => picture.height)),
  ];
  const places = pictures.map(
    (_, index): Place => ({
      left: (index % columns) * (width + gap),
      top: Math.floor(index / columns) * (height + gap),
      width,
      height,
    }),
  );
  const rows = Math.ceil(pictures.length / columns);
  return { width: columns * (width + gap) - gap, height: rows * (height + gap) - gap, places };
}
