import type { IncomingMessage, ServerResponse } from "node:http";
import { replyHtml, replyJson, write } from "../http-reply.ts";
import type { SimulatedModel } from "./catalogue.ts";
import { checkInput } from "./check-input.ts";
import type { FalFaults } from "./faults.ts";
import { type Failure, type FalJobs, isDone, type Job, logLines, statusOf } from "./jobs.ts";
import { replyResultStream } from "./result-stream.ts";
import type { FalStorage } from "./storage.ts";
import type { FalWebhooks } from "./webhooks.ts";

export type Post = {
  door: "queue" | "run";
  model: string;
  prompt: string;
  input: unknown;
  headers: IncomingMessage["headers"];
  outcome: string;
};
type Deps = {
  base: () => string;
  models: ReadonlyMap<string, SimulatedModel>;
  jobs: FalJobs;
  faults: FalFaults;
  storage: FalStorage;
  webhooks: FalWebhooks;
  posts: Post[];
  /** The answers to the next requests, whatever they are. */
  refusals: Failure[];
  /** The messages of the next streams after their first event. */
  streamFailures: object[];
};

/** queue.fal.run and fal.run. */
export function createQueue({
  base,
  models,
  jobs,
  faults,
  storage,
  webhooks,
  posts,
  refusals,
  streamFailures,
}: Deps) {
  /** Only the owner and the alias: the rest of an id is used only for the submit. */
  const requestPath = (job: Job) =>
    `/${job.model.id.split("/").slice(0, 2).join("/")}/requests/${job.id}`;
  const urlsOf = (job: Job) => {
    const root = `${base()}/queue${requestPath(job)}`;
    return { response_url: root, status_url: `${root}/status`, cancel_url: `${root}/cancel` };
  };

  function post(
    request: IncomingMessage,
    response: ServerResponse,
    door: "queue" | "run",
    path: string,
    body: Buffer,
    webhook: string | null,
  ) {
    const streamed =
      door === "run" && path.endsWith("/stream")
        ? models.get(path.slice(0, -"/stream".length))
        : undefined;
    const model = streamed?.streams ? streamed : models.get(path);
    const input = parse(body);
    const entry: Post = {
      door,
      model: path,
      prompt: promptOf(input),
      input,
      headers: request.headers,
      outcome: "refused",
    };
    posts.push(entry);
    const refusal = refuse(model, input);
    if (refusal || !model)
      return replyJson(response, refusal?.status ?? 404, refusal?.body, {
        "x-fal-request-id": "refused",
      });
    const scripted = refusals.shift();
    if (scripted) return replyJson(response, scripted.status, scripted.body, scripted.headers);
    if (fail(response, entry)) return;
    const lifecycle = request.headers["x-fal-object-lifecycle-preference"];
    const job = jobs.add(
      model,
      input as Record<string, unknown>,
      entry.prompt,
      typeof lifecycle === "string" ? lifecycle : undefined,
      webhook,
    );
    entry.outcome = "accepted";
    const has = (fault: Parameters<FalFaults["take"]>[1]) => faults.take(entry.prompt, fault);
    if (door === "run") jobs.finish(job);
    // The job is over, and its webhook is sent, before its submit is answered.
    if (has("webhook-early")) {
      jobs.finish(job);
      return void webhooks.told(job).then(() => {
        if (has("429-taken")) tooMany(response, 30);
        else if (has("lost-reply")) response.destroy();
        else accept(response, job);
      });
    }
    if (has("429-taken")) {
      jobs.finish(job);
      tooMany(response, 30);
    } else if (has("429-taken-own")) {
      jobs.finish(job);
      replyJson(response, 429, { detail: "Too many requests", error_type: "rate_limited" });
    } else if (has("lost-reply")) {
      jobs.finish(job);
      response.destroy();
    } else if (has("cut-reply")) {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"request_id": "', () => response.destroy());
    } else if (has("broken-json")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"request_id": NaN,');
    } else if (has("no-id")) replyJson(response, 200, { status: "IN_QUEUE" });
    else if (door === "run" && has("hold-reply"))
      void jobs.mayAnswer(job).then(() => replyResult(response, job));
    else if (streamed) void replyResultStream(response, job, faults, streamFailures);
    else if (door === "run") replyResult(response, job);
    else if (has("hold-reply")) void jobs.mayAnswer(job).then(() => accept(response, job));
    else accept(response, job);
  }

  const tooMany = (response: ServerResponse, seconds: number) =>
    replyJson(response, 429, { detail: "Too many requests" }, { "retry-after": String(seconds) });

  const accept = (response: ServerResponse, job: Job) =>
    replyJson(response, 200, {
      status: "IN_QUEUE",
      request_id: job.id,
      queue_position: 2,
      ...urlsOf(job),
    });

  function refuse(
    model: SimulatedModel | undefined,
    input: unknown,
  ): { status: number; body: unknown } | null {
    if (!model) return { status: 404, body: { detail: "Application not found" } };
    const detail = checkInput(input, model.input, model.components);
    for (const [loc, url] of addresses(input)) {
      const reason = storage.whyUnreadable(url);
      if (reason) detail.push({ loc: ["body", ...loc], msg: reason, type: "file_download_error" });
    }
    return detail.length > 0 ? { status: 422, body: { detail } } : null;
  }

  /** The faults that accept no job. True if it has answered. */
  function fail(response: ServerResponse, entry: Post): boolean {
    const take = (fault: Parameters<FalFaults["take"]>[1]) => {
      if (!faults.take(entry.prompt, fault)) return false;
      entry.outcome = fault;
      return true;
    };
    if (take("reset")) response.destroy();
    else if (take("429")) tooMany(response, 2);
    else if (take("500"))
      replyJson(response, 500, { detail: "Internal error", error_type: "internal_error" });
    else if (take("503"))
      replyJson(
        response,
        503,
        { detail: "No runner", error_type: "runner_scheduling_failure" },
        { "x-fal-error-type": "runner_scheduling_failure" },
      );
    else if (take("504"))
      replyJson(response, 504, { detail: "Request timed out", error_type: "request_timeout" });
    else if (take("locked"))
      replyJson(response, 403, {
        detail: "User is locked. Reason: Exhausted balance. Top up your balance.",
      });
    else if (take("422"))
      replyJson(response, 422, {
        detail: [{ loc: ["body", "seed"], msg: "Not today", type: "value_error" }],
      });
    else if (take("html")) replyHtml(response);
    else return false;
    return true;
  }

  async function get(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    path: string,
  ): Promise<void> {
    const [, prefix = "", id = "", action = ""] =
      /^(.+)\/requests\/([^/]+)(\/.+)?$/.exec(path) ?? [];
    const job = jobs.jobs.get(id);
    if (!job || `/${prefix}/requests/${id}` !== requestPath(job))
      return replyJson(response, 404, { detail: "Request not found" });
    const method = `${request.method} ${action}`;
    const withLogs = url.searchParams.get("logs") === "1";
    if (method === "PUT /cancel") {
      const { status, body } = jobs.cancel(job);
      return replyJson(response, status, body);
    }
    if (method === "GET /status") return replyStatus(response, job, withLogs);
    if (method === "GET /status/stream") return streamStatus(response, job, withLogs);
    if (method === "GET ") return replyResult(response, job);
    replyJson(response, 405, { detail: "Method Not Allowed" });
  }

  function replyStatus(response: ServerResponse, job: Job, withLogs: boolean) {
    if (faults.take(job.prompt, "status-500"))
      return replyJson(response, 500, { detail: "Internal Server Error" });
    const { status, body } = statusOf(job, urlsOf(job), withLogs);
    jobs.look(job);
    replyJson(response, status, body);
  }

  async function streamStatus(
    response: ServerResponse,
    job: Job,
    withLogs: boolean,
  ): Promise<void> {
    if (faults.take(job.prompt, "stream-html")) return replyHtml(response);
    const cut = faults.take(job.prompt, "stream-cut");
    const byBytes = faults.take(job.prompt, "stream-bytes");
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const closed = new Promise((resolve) => response.once("close", resolve));
    let told = 0;
    for (let sent = 0; !response.destroyed; sent++) {
      const event = Buffer.from(
        `data: ${JSON.stringify(statusOf(job, urlsOf(job), withLogs, told).body)}\n\n`,
      );
      if (byBytes) for (const byte of event) await write(response, Uint8Array.of(byte));
      else await write(response, event);
      told = logLines(job).length;
      if (isDone(job) || (cut && sent === 3)) break;
      for (const before = job.stage; job.stage === before && !response.destroyed; ) {
        const changed = jobs.changed();
        jobs.look(job);
        if (job.stage === before) await Promise.race([changed, closed]);
      }
    }
    response.end();
  }

  function replyResult(response: ServerResponse, job: Job) {
    if (!isDone(job)) return replyJson(response, 400, { detail: "Request is still in progress" });
    if (faults.take(job.prompt, "result-busy"))
      return replyJson(response, 502, { detail: "Bad gateway" });
    if (faults.take(job.prompt, "result-html")) return replyHtml(response);
    const { failure, output } = job;
    if (failure)
      return replyJson(response, failure.status, failure.body, {
        ...failure.headers,
        "x-fal-request-id": job.id,
      });
    replyJson(response, 200, output?.body, {
      "x-fal-request-id": job.id,
      "x-fal-billable-units": output?.units ?? "0",
    });
  }

  return { post, get };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

const promptOf = (input: unknown): string => {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Record<
    string,
    unknown
  >;
  return String(fields.prompt ?? fields.text ?? fields.lyrics_prompt ?? JSON.stringify(fields));
};

function* addresses(
  value: unknown,
  loc: (string | number)[] = [],
): Generator<[(string | number)[], string]> {
  if (typeof value === "string" && /^https?:/.test(value)) yield [loc, value];
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* addresses(inner, [...loc, Array.isArray(value) ? Number(key) : key]);
  }
}
