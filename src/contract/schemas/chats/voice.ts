import { z } from "zod";
import { asset, id, idempotencyKey, modelRef, run } from "../../entities.ts";

const messageParam = z.object({ messageId: id });
const body = z.strictObject({
  model: modelRef,
  /** Matches the model's own schema; files are `asset:<id>`. */
  input: z.record(z.string(), z.unknown()),
  idempotencyKey: idempotencyKey.optional(),
});
const one = z.object({ run });

export const voiceSchemas = {
  createDictation: { params: z.object({ projectId: id }), body, response: one },
  listReadings: {
    params: messageParam,
    response: z.object({ runs: z.array(run), assets: z.array(asset) }),
  },
  createReading: { params: messageParam, body, response: one },
};
