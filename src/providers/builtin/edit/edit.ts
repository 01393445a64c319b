import type { RunContext, RunRequest } from "../../adapter.ts";
import { findPicture, readInput, readPicture, toInputSchema } from "../input.ts";
import type { BuiltinModel } from "../model.ts";
import { answerInWorker } from "../worker-answer.ts";
import type { EditTask } from "./edit-worker.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";

/** Each edit is a model with its own form. */
export const edits: readonly BuiltinModel[] = operations.map((operation) => ({
  facts: {
    id: operation.id,
    name: operation.name,
    description: `${operation.description} Runs on this machine.`,
    tasks: ["edit"],
    inputModalities: ["image"],
    outputModalities: ["image"],
    inputSchema: toInputSchema(operation.schema, operation.name),
    capabilities: { deterministic: true },
  },
  answer: (request, context) => answerEdit(operation, request, context),
}));

async function* answerEdit(operation: Operation, request: RunRequest, context: RunContext) {
  const settings = readInput(operation.schema, request.input);
  const chosen = Array.isArray(settings.images)
    ? settings.images.map((reference, index) => ({
        field: `images.${index}`,
        reference: String(reference),
      }))
    : [{ field: "image", reference: String(settings.image) }];
  const sources: EditTask["sources"] = [];
  for (const { field, reference } of chosen) {
    const { name } = findPicture(request, field, reference);
    sources.push({
      field,
      name,
      bytes: await readPicture(request, field, reference, context.signal),
    });
  }
  // libvips must stay loaded by the main thread, or it is unloaded under a worker that ends
  // (sharp's advice for Linux).
  await import("sharp");
  const task: EditTask = { operation: operation.id, settings, sources };
  yield* answerInWorker(
    new URL("./edit-worker.ts", import.meta.url),
    task,
    context,
    sources.map((source) => source.bytes.buffer),
  );
}
