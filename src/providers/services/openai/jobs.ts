import { limits } from "#contract/limits.ts";
import {
  type Adapter,
  type CallContext,
  type JobAdapter,
  type JobHandle,
  ProviderError,
  type RunRequest,
} from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { openDownload } from "../../outbound/outbound-download.ts";
import { isRecord } from "../../wire/error-words.ts";
import { readJson, toHttpError } from "../../wire/http-errors.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { asked, authorization, endpoint } from "../openai-compatible/access.ts";
import { classify } from "../openai-compatible/errors.ts";
import { backgroundJob, wantsBackground } from "./background.ts";
import { goesByCompletions } from "./models.ts";
import { videoJob } from "./videos.ts";

/** Videos are jobs, and answers that are asked for in the background; all else is answered at once. */
export const prefersAnswer: NonNullable<Adapter["prefersAnswer"]> = (options, run) =>
  run.task !== "video" &&
  !(
    run.task === "chat" &&
    wantsBackground(run) &&
    !goesByCompletions({ connection: { options } }, run.modelId)
  );

const jobs = { videos: videoJob, responses: backgroundJob } as const;
const jobOf = ({ urls }: JobHandle): OneJob =>
  urls.kind === "videos" ? jobs.videos : jobs.responses;

/** One kind of job under its own path; the handle's `kind` says which. */
export type OneJob = Omit<JobAdapter, "handleOf" | "idField" | "follow">;

export const job: JobAdapter = {
  submit: (request: RunRequest, context) =>
    (request.task === "video" ? jobs.videos : jobs.responses).submit(request, context),
  status: (handle, context) => jobOf(handle).status(handle, context),
  result: (handle, context) => jobOf(handle).result(handle, context),
  cancel: (handle, context) => jobOf(handle).cancel(handle, context),
  handleOf: (id) => {
    const kind = /^resp_[\w-]+$/.test(id)
      ? "responses"
      : /^video_[\w-]+$/.test(id)
        ? "videos"
        : undefined;
    return kind && { id, urls: { kind } };
  },
  idField: "id",
};

/** The object of a job, or what a call about it answers. Throws ProviderError; a job that is not there is final. */
export async function askAbout(
  context: CallContext,
  handle: JobHandle,
  path = "",
  method: "GET" | "POST" | "DELETE" = "GET",
): Promise<Record<string, unknown>> {
  const url = endpoint(context, `/${handle.urls.kind}/${encodeURIComponent(handle.id)}${path}`);
  const headers = { accept: "application/json", ...authorization(context) };
  const response = await context.fetch(url, unpaid({ method, headers, signal: context.signal }));
  // Asking, and ending, cost nothing: what they answer says nothing of a paid request.
  const question = asked(context, "GET");
  if (!response.ok) {
    const error = await toHttpError(response, question, classify);
    throw isGone(error) ? lostJob(error) : error;
  }
  const body = await readJson(response, question);
  if (isRecord(body)) return body;
  throw new ProviderError("provider_protocol", "yes", {
    message: "The provider answered about the job with something that is not known.",
  });
}

/** What a submit answered. Throws `outcome_unknown` where it names no job. */
export function toHandle(
  kind: "videos" | "responses",
  body: unknown,
  httpStatus: number,
): JobHandle {
  if (isRecord(body) && typeof body.id === "string" && body.id)
    return { id: body.id, urls: { kind } };
  throw new ProviderError("outcome_unknown", "unknown", { httpStatus });
}

/** A file of a job, which opens with the connection's key alone. */
export function openFile(url: string, context: CallContext): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      // The key goes to the connection's own address and to no other.
      const isOwn = url.startsWith(endpoint(context, "/"));
      const fetch: typeof context.fetch = (address, init) =>
        context.fetch(address, {
          ...init,
          headers: {
            ...Object.fromEntries(new Headers(init?.headers)),
            ...(isOwn && authorization(context)),
          },
        });
      yield* (
        await openDownload({ fetch, url, mostBytes: limits.outputBytes, signal: context.signal })
      ).stream;
    },
  };
}
