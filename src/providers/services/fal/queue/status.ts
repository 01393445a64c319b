import { createParser } from "eventsource-parser";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobHandle,
  type JobStatus,
  ProviderError,
} from "../../../adapter.ts";
import { refuseUnbounded } from "../../../outbound/answer-bounds.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, givenUrl, parseEvent, readJson } from "../call.ts";

type Log = NonNullable<JobStatus["logs"]>[number];

/**
 * Returns the state of the job, with all its log lines so far. fal responds with 202 until it has
 * ended, then 200.
 */
export async function readStatus(handle: JobHandle, context: CallContext): Promise<JobStatus> {
  const url = withLogs(givenUrl(context, handle.urls.status ?? ""));
  return toStatus(await readJson(await callFal(context, url, { phase: "job" }), "job"));
}

/**
 * Yields the state as it changes, from the event stream, with the new log lines each time. fal's
 * own reader sleeps 16 ms per event and breaks characters that span two packets, so it isn't used.
 * @throws ProviderError when the stream ends too early
 */
export async function* followStatus(
  handle: JobHandle,
  context: CallContext,
): AsyncIterable<JobStatus> {
  const url = withLogs(givenUrl(context, handle.urls.status ?? ""));
  url.pathname += "/stream";
  const response = await callFal(context, url, { phase: "job", accept: "text/event-stream" }).catch(
    (error: unknown) => {
      // A gateway may lack the stream. A refusal of the stream says nothing about the job; the
      // status does.
      if (!(error instanceof ProviderError)) throw error;
      throw new ProviderError(
        "provider_interrupted",
        "yes",
        { message: error.message },
        { cause: error },
      );
    },
  );
  if (!response.body || !response.headers.get("content-type")?.includes("text/event-stream")) {
    await response.body?.cancel();
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.fal.noEventStream,
    });
  }
  const logs: Log[] = [];
  for await (const data of readEvents(response.body)) {
    const status = toStatus(parseEvent(data));
    // An event contains the lines since the previous one; repeated lines are dropped.
    const { logs: told = [], ...rest } = status;
    const fresh = told.filter((log) => !logs.some((known) => isSame(known, log)));
    logs.push(...fresh);
    yield fresh.length > 0 ? { ...rest, logs: fresh } : rest;
    if (status.state === "done") return;
  }
  throw new ProviderError("provider_interrupted", "yes", {
    message: "fal's status stream ended before the job did.",
  });
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const waiting: string[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: limits.streamLineBytes,
    onEvent: (event) => waiting.push(refuseUnbounded(event.data)),
    onError: (error) => {
      tooLong ||= error.type === "max-buffer-size-exceeded";
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* waiting.splice(0);
    if (tooLong)
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.fal.endlessLine,
      });
  }
}

const states: Record<string, JobStatus["state"]> = {
  IN_QUEUE: "queued",
  IN_PROGRESS: "running",
  COMPLETED: "done",
};

function toStatus(answer: unknown): JobStatus {
  const state =
    isRecord(answer) && typeof answer.status === "string" ? states[answer.status] : undefined;
  if (!isRecord(answer) || !state)
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.fal.unknownStatus,
    });
  const logs = Array.isArray(answer.logs) ? answer.logs.flatMap(toLog) : [];
  const progress = lastProgress(logs);
  return {
    state,
    ...(state === "queued" &&
      typeof answer.queue_position === "number" && { queuePlace: answer.queue_position }),
    ...(state !== "queued" && progress && { progress }),
    ...(logs.length > 0 && { logs }),
  };
}

function toLog(entry: unknown): Log[] {
  if (!isRecord(entry) || typeof entry.message !== "string") return [];
  const at = typeof entry.timestamp === "string" ? Date.parse(entry.timestamp) : Number.NaN;
  return [
    {
      message: entry.message,
      ...(!Number.isNaN(at) && { at }),
      ...(typeof entry.level === "string" && { level: entry.level }),
    },
  ];
}

/**
 * Runners write their progress bar (tqdm) to the log: " 36%|███▌ | 10/28 [00:01<00:02, 8.6it/s]".
 */
function lastProgress(logs: readonly Log[]): JobStatus["progress"] {
  for (let index = logs.length - 1; index >= 0; index--) {
    const [, label, done, total] =
      /([^|%]*?)\s*\d+%\|[^|]*\|\s*(\d+)\/(\d+)\s*\[/.exec(logs[index]!.message) ?? [];
    if (done && total && Number(total) > 0) {
      const name = label?.replace(/:$/, "").trim();
      return {
        done: Math.min(Number(done), Number(total)),
        total: Number(total),
        ...(name && { label: name }),
      };
    }
  }
  return undefined;
}

const isSame = (a: Log, b: Log) => a.message === b.message && a.at === b.at && a.level === b.level;

function withLogs(url: URL): URL {
  url.searchParams.set("logs", "1");
  return url;
}
