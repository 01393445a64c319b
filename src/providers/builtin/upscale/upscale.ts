import { z } from "zod";
import { findPicture, pictureField, readInput, readPicture, toInputSchema } from "../input.ts";
import type { BuiltinModel } from "../model.ts";
import { answerInWorker } from "../worker-answer.ts";
import type { UpscaleTask } from "./upscale-worker.ts";

const upscaleInput = z.strictObject({
  image: pictureField(
    "Picture",
    "Up to 4 megapixels (2048 x 2048). The result has twice the width and height.",
  ),
});

/** Doubles the size with a small neural network that runs on this machine. */
export const upscale: BuiltinModel = {
  facts: {
    id: "upscale",
    name: "Upscale 2x (ESRGAN)",
    description:
      "Doubles width and height with a small neural network (ESRGAN) on this machine. About 20 seconds per megapixel. Preserves transparency. Returns a PNG.",
    tasks: ["upscale"],
    inputModalities: ["image"],
    outputModalities: ["image"],
    inputSchema: toInputSchema(upscaleInput, "Upscale"),
    capabilities: { deterministic: true },
  },
  async *answer(request, context) {
    const { image } = readInput(upscaleInput, request.input);
    const { name } = findPicture(request, "image", image);
    const bytes = await readPicture(request, "image", image, context.signal);
    // libvips must stay loaded by the main thread, or it is unloaded under a worker that ends
    // (sharp's advice for Linux).
    await import("sharp");
    const task: UpscaleTask = { bytes, name };
    yield* answerInWorker(new URL("./upscale-worker.ts", import.meta.url), task, context, [
      bytes.buffer,
    ]);
  },
};
