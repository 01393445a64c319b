import type { Adapter, CallContext, JobAdapter, JobHandle, RunRequest } from "../../adapter.ts";
import { openSigned, withHeaders } from "../../wire/open-file.ts";
import { authorization, endpoint } from "../openai-compatible/access.ts";
import { backgroundJob, wantsBackground } from "./background.ts";
import { goesByCompletions } from "./models.ts";
import type { OneJob } from "./one-job.ts";
import { videoJob } from "./videos.ts";

/** Videos and background answers are jobs. Everything else is synchronous. */
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

/** Opens a file of a job. The key goes only to the connection's own address. */
export const openFile = (url: string, context: CallContext): AsyncIterable<Uint8Array> =>
  openSigned(url, context, async () =>
    url.startsWith(endpoint(context, "/"))
      ? withHeaders(context.fetch, authorization(context))
      : context.fetch,
  );
