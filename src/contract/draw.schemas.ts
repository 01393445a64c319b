import { z } from "zod";
import { id, modelRef } from "./entities.ts";
import { limits } from "./limits.ts";

const settings = z.record(z.string().max(200), z.json());

/** The requests of a browser on the live canvas's socket. */
export const drawRequest = z.union([
  z.strictObject({ start: z.strictObject({ projectId: id, model: modelRef, settings }) }),
  z.strictObject({ stop: z.literal(true) }),
  z.strictObject({ pin: z.strictObject({ runId: id, frame: z.int().min(0) }) }),
]);

/** The formats that browsers create from a canvas and every realtime model reads. */
const drawingTypes = ["image/jpeg", "image/png", "image/webp"] as const;

export const drawInput = z.strictObject({
  input: z.int().min(0),
  settings: settings.refine(
    (value) => JSON.stringify(value).length <= limits.promptCharacters,
    "This is too long.",
  ),
  mime: z.enum(drawingTypes).optional(),
  isBlank: z.boolean().optional(),
});
