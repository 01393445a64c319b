import type { ServerResponse } from "node:http";
import { replyJson, write } from "../http-reply.ts";
import type { FalFaults } from "./faults.ts";
import type { Job } from "./jobs.ts";
import { makePng } from "./media.ts";

const steps = 3;

/**
 * fal.run/{model}/stream: server-sent events with the partial output as data. Unfinished pictures
 * are inside the event, at a sixteenth of the size; the last event has them as files.
 */
export async function replyResultStream(
  response: ServerResponse,
  job: Job,
  faults: FalFaults,
  failures: object[],
): Promise<void> {
  const { failure, output, prompt } = job;
  if (failure) {
    replyJson(response, failure.status, failure.body, failure.headers);
    return;
  }
  const has = (fault: Parameters<FalFaults["take"]>[1]) => faults.take(prompt, fault);
  const isByBytes = has("sse-bytes");
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "x-fal-request-id": job.id,
    "x-fal-billable-units": output?.units ?? "0",
  });
  const send = async (data: unknown): Promise<void> => {
    const bytes = Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
    for (let at = 0, size = isByBytes ? 1 : bytes.length; at < bytes.length; at += size)
      await write(response, bytes.subarray(at, at + size));
  };
  const whole = (output?.body ?? {}) as Record<string, unknown>;
  const isText = typeof whole.text === "string";
  const said = failures.shift();
  for (let step = 1; step <= steps; step++) {
    if (step === 2 && said) {
      await send(said);
      return void response.end();
    }
    if (step === 3 && has("sse-torn")) return void response.destroy();
    if (step === 3 && has("sse-error")) {
      await send({ error: { message: "Runner disconnected ✂" } });
      return void response.end();
    }
    const so = isText
      ? String(whole.text).slice(0, Math.ceil((String(whole.text).length * step) / (steps + 1)))
      : "";
    const tiny = Buffer.from(makePng(`${prompt} ${step}`, 16, 16).bytes).toString("base64");
    await send(
      isText
        ? { output: so, partial: true }
        : {
            images: [{ url: `data:image/png;base64,${tiny}`, content_type: "image/png" }],
            progress: step / steps,
            note: `step ${step}`,
            partial: true,
          },
    );
    if (has("sse-note")) await send({ stage: "between steps" });
  }
  if (!has("sse-half"))
    await send(isText ? { ...whole, output: whole.text, partial: false } : whole);
  response.end();
}
