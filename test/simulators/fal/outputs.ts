import type { SimulatedModel } from "./catalogue.ts";
import { type MadeFile, makeGlb, makeMp4, makePng, makeWav } from "./media.ts";

type Input = Record<string, unknown>;
/** What a finished job answers, with `store` giving the address of each file, and how many units it bills. */
export type Output = { body: Record<string, unknown>; units: string };

const sizes: Record<string, [number, number]> = {
  square_hd: [1024, 1024],
  square: [512, 512],
  portrait_4_3: [768, 1024],
  portrait_16_9: [576, 1024],
  landscape_4_3: [1024, 768],
  landscape_16_9: [1024, 576],
};

/** The output in the shape that models of this kind have. */
export function makeOutput(
  model: SimulatedModel,
  input: Input,
  store: (file: MadeFile) => string,
): Output {
  const words = String(input.prompt ?? input.text ?? model.id);
  const seed = typeof input.seed === "number" ? input.seed : 42;
  const made: MadeFile[] = [];
  const keep = (file: MadeFile) => {
    made.push(file);
    const { mime, name, width, height } = file;
    return {
      url: store(file),
      content_type: mime,
      file_name: name,
      file_size: file.bytes.length,
      ...(width && height && { width, height }),
    };
  };
  const body = ((): Record<string, unknown> => {
    switch (model.output) {
      case "images": {
        const [width, height] = sizeOf(input.image_size);
        const count = typeof input.num_images === "number" ? input.num_images : 1;
        const images = Array.from({ length: count }, (_, index) =>
          keep(makePng(`${words} ${seed + index}`, width, height, `image-${index + 1}.png`)),
        );
        return {
          images,
          timings: { inference: 0.5 },
          seed,
          has_nsfw_concepts: images.map(() => false),
          prompt: words,
        };
      }
      case "image":
        return { image: keep(makePng(words, 512, 512)) };
      case "video":
        return { video: keep(makeMp4(words, Number.parseInt(String(input.duration ?? "5"), 10))) };
      case "audio":
        return { audio: keep(makeWav(words, 0.5)) };
      case "model_mesh":
        return { model_mesh: keep(makeGlb(words)), timings: { total: 1.5 } };
      case "training":
        return {
          diffusers_lora_file: keep({
            name: "lora.safetensors",
            mime: "application/octet-stream",
            bytes: Buffer.from(words),
          }),
          config_file: keep({
            name: "config.json",
            mime: "application/json",
            bytes: Buffer.from("{}"),
          }),
        };
      case "text":
        return { text: `Heard: ${words}`, chunks: [{ timestamp: [0, 1.5], text: words }] };
    }
  })();
  return { body, units: unitsOf(model.price.unit, words, made) };
}

function sizeOf(size: unknown): [number, number] {
  if (typeof size === "object" && size !== null && "width" in size && "height" in size)
    return [Number(size.width), Number(size.height)];
  return sizes[String(size)] ?? sizes.landscape_4_3!;
}

function unitsOf(unit: string, words: string, made: readonly MadeFile[]): string {
  const seconds = made.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  switch (unit) {
    case "images":
      return String(made.length);
    case "megapixels":
      return String(
        made.reduce(
          (sum, { width, height }) => sum + Math.ceil(((width ?? 0) * (height ?? 0)) / 1_000_000),
          0,
        ),
      );
    case "seconds":
      return String(seconds);
    case "minutes":
      return String(Math.ceil(seconds / 60));
    case "1000 characters":
      return String(words.length / 1_000);
    case "compute seconds":
      return "1.2";
    default:
      return "1";
  }
}
