import sharp, { type Sharp } from "sharp";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isHeic } from "#domain/files/heic.ts";
import { ProviderError } from "../../adapter.ts";
import { invalidInput } from "../input.ts";
import { serveTasks } from "../worker-task.ts";
import type { EditResult, Format, Picture } from "./operation.ts";
import { operations } from "./operations.ts";

export type EditTask = {
  operation: string;
  settings: Record<string, unknown>;
  sources: { field: string; name: string; bytes: Uint8Array<ArrayBuffer> }[];
};

serveTasks<EditTask>(async ({ operation: id, settings, sources }, tell) => {
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`There is no edit ${id}.`);
  const total = sources.length + 1;
  tell.part({ type: "progress", done: 0, total, label: "steps" });
  const pictures: Picture[] = [];
  for (const source of sources) {
    const picture = await openPicture(source);
    pictures.push(picture);
    tell.part({ type: "progress", done: pictures.length, total, label: "steps" });
  }
  const first = pictures[0]!;
  try {
    const edited = await operation.apply(pictures, settings, sharp);
    const format = edited.format ?? ownFormat(first.format);
    const { data, info } = await encode(edited, format).toBuffer({ resolveWithObject: true });
    tell.part({ type: "progress", done: total, total, label: "steps" });
    const name = `${first.name.replace(/\.[^.]*$/, "")}-${id.split("/").at(-1)}.${format === "jpeg" ? "jpg" : format}`;
    tell.part({
      type: "file",
      output: {
        name,
        mime: `image/${format}`,
        width: info.width,
        height: info.height,
        bytes: data,
      },
    });
  } catch (error) {
    // The settings are validated, so if libvips fails now, the file's bytes are the cause.
    throw error instanceof ProviderError ? error : damaged(sources[0]!, error);
  }
  tell.part({ type: "finish", reason: "stop", usage: { units: { images: "1" } }, costMicros: 0 });
});

async function openPicture({ field, name, bytes }: EditTask["sources"][number]): Promise<Picture> {
  const open = () =>
    sharp(bytes, { limitInputPixels: limits.imagePixels, failOn: "warning" }).autoOrient();
  try {
    const facts = await sharp(bytes, { limitInputPixels: false }).metadata();
    const { width, height } = facts.autoOrient;
    if (width * height > limits.imagePixels)
      throw invalidInput(
        field,
        sentences.media.tooManyPixels({
          picture: name,
          width,
          height,
          megapixels: limits.imagePixels / 1e6,
        }),
      );
    return { name, field, width, height, format: facts.format, open };
  } catch (error) {
    throw error instanceof ProviderError ? error : damaged({ name, field, bytes }, error);
  }
}

type Unreadable = { field: string; name: string; bytes?: Uint8Array };

function damaged({ field, name: picture, bytes }: Unreadable, cause: unknown): ProviderError {
  const { isHeic: heicSentence, pictureUnreadable } = sentences.media;
  const sentence = bytes && isHeic(bytes) ? heicSentence : pictureUnreadable;
  return invalidInput(field, sentence({ picture }), cause);
}

function ownFormat(format: string): Format {
  if (format === "heif") return "avif";
  return format === "jpeg" || format === "webp" ? format : "png";
}

/** Metadata is left out; the orientation is already applied to the pixels. */
function encode({ pipeline, quality, background = "#ffffff" }: EditResult, format: Format): Sharp {
  switch (format) {
    case "png":
      return pipeline.png();
    case "jpeg":
      return pipeline
        .flatten({ background })
        .jpeg({ quality: quality ?? 92, mozjpeg: false, chromaSubsampling: "4:4:4" });
    case "webp":
      return pipeline.webp({ quality: quality ?? 90 });
    case "avif":
      return pipeline.avif({ quality: quality ?? 70, effort: 3 });
  }
}
