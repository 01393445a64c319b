import { z } from "zod";
import { id, modelRef } from "./entities.ts";
import { limits } from "./limits.ts";

const settings = z.record(z.string().max(200), z.json());

/** What a browser may say on the live canvas's socket. */
export const drawRequest = z.union([
  z.strictObject({ start: z.strictObject({ projectId: id, model: modelRef, settings }) }),
  z.strictObject({ stop: z.literal(true) }),
  z.strictObject({ pin: z.strictObject({ runId: id, frame: z.int().min(0) }) }),
]);

/** Browsers make these of a canvas; a realtime model reads each of them. */
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
