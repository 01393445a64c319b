import type { SimulatedModel } from "./catalogue.ts";
import { type MadeFile, makeGlb, makeMp4, makePng, makeWav } from "./media.ts";

type Input = Record<string, unknown>;
/** A finished job's answer, with file addresses from `store`, and its billed units. */
export type Output = { body: Record<string, unknown>; units: string };

export type FilmMaker = (seconds: number) => MadeFile;

const sizes: Record<string, [number, number]> = {
  square_hd: [1024, 1024],
  square: [512, 512],
  portrait_4_3: [768, 1024],
  portrait_16_9: [576, 1024],
  landscape_4_3: [1024, 768],
  landscape_16_9: [1024, 576],
};

/**
 * For a named size, only a quarter of each side is drawn, because the program reads every picture
 * and scales it three times.
 */
const DRAWN_SHARE = 4;

/** The output in the shape of this kind of model. */
export function makeOutput(
  model: SimulatedModel,
  input: Input,
  store: (file: MadeFile) => string,
  film?: FilmMaker,
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
        const [width, height] = drawnSizeOf(input.image_size);
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
        return { image: keep(makePng(words, 128, 128)) };
      case "video": {
        const seconds = Number.parseInt(String(input.duration ?? "5"), 10);
        return { video: keep(film?.(seconds) ?? makeMp4(words, seconds)) };
      }
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
  return { body, units: unitsOf(model.price.unit, words, made, input.image_size) };
}

const hasSides = (size: unknown): size is { width: unknown; height: unknown } =>
  typeof size === "object" && size !== null && "width" in size && "height" in size;

function sizeOf(size: unknown): [number, number] {
  if (hasSides(size)) return [Number(size.width), Number(size.height)];
  return sizes[String(size)] ?? sizes.landscape_4_3!;
}

function drawnSizeOf(size: unknown): [number, number] {
  const [width, height] = sizeOf(size);
  return hasSides(size) ? [width, height] : [width / DRAWN_SHARE, height / DRAWN_SHARE];
}

function unitsOf(unit: string, words: string, made: readonly MadeFile[], asked: unknown): string {
  const seconds = made.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  switch (unit) {
    case "images":
      return String(made.length);
    case "megapixels": {
      const [width, height] = sizeOf(asked);
      return String(made.length * Math.ceil((width * height) / 1_000_000));
    }
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
