import type { Behaviour, Gates, Post } from "../kit/behaviour.ts";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";
import { type StoredResponse, whole } from "./responses.ts";
import type { ResponsesBody } from "./strict.ts";

type Given = { post: Post; behaviour: Behaviour; gates: Gates };
type Video = {
  id: string;
  object: "video";
  status: string;
  progress: number;
  model: string;
  seconds: string;
  size: string;
  error: object | null;
};
/** Each poll advances a job by one step, unless a gate of its script holds it. */
type Job = {
  state: "queued" | "in_progress" | "completed" | "failed" | "cancelled";
  held: boolean;
  error: { code: string; message: string } | null;
};

/** Background responses and videos, which are polled by id. */
export function createJobs() {
  const jobs = new Map<string, Job>();
  const responses = new Map<string, { body: ResponsesBody; behaviour: Behaviour }>();
  const videos = new Map<string, Video>();

  function begin(id: string, { behaviour, gates }: Given): Job {
    const job: Job = { state: "queued", held: behaviour.gate !== undefined, error: null };
    jobs.set(id, job);
    if (behaviour.gate) {
      void gates.wait(behaviour.gate.name).then(() => {
        job.held = false;
      });
    }
    return job;
  }

  function step(job: Job): void {
    if (job.state === "queued") job.state = "in_progress";
    else if (job.state === "in_progress" && !job.held) job.state = "completed";
  }

  function toResponse(id: string, job: Job): StoredResponse {
    const { body, behaviour } = responses.get(id)!;
    const done = whole(body, behaviour, id);
    if (job.state === "completed") return done;
    return {
      ...done,
      status: job.state,
      output: [],
      usage: null,
      error: job.error,
      incomplete_details: null,
    };
  }

  const toVideo = (id: string, job: Job): Video => ({
    ...videos.get(id)!,
    status: job.state,
    progress: { queued: 0, in_progress: 40, completed: 100, failed: 40, cancelled: 40 }[job.state],
    error: job.error,
  });

  return {
    startResponse(given: Given): StoredResponse {
      const id = `resp_bg_${responses.size + 1}`;
      responses.set(id, { body: given.post.body as ResponsesBody, behaviour: given.behaviour });
      return toResponse(id, begin(id, given));
    },
    startVideo(given: Given): Video {
      const id = `video_${videos.size + 1}`;
      const {
        model,
        seconds = "4",
        size = "720x1280",
      } = given.post.body as { model: string; seconds?: string; size?: string };
      videos.set(id, {
        id,
        object: "video",
        status: "queued",
        progress: 0,
        model,
        seconds,
        size,
        error: null,
      });
      return toVideo(id, begin(id, given));
    },
    /** Answers everything about a job. True if it has answered. */
    answer(path: string, { method, response }: Call): boolean {
      const [, kind = "", id = "", action = ""] = path.split("/");
      const job = jobs.get(id);
      if (!job) return false;
      if (method === "GET" && action === "") {
        json(response, kind === "videos" ? toVideo(id, job) : toResponse(id, job));
        step(job);
        return true;
      }
      if (kind === "responses" && method === "POST" && action === "cancel") {
        if (job.state === "queued" || job.state === "in_progress") job.state = "cancelled";
        json(response, toResponse(id, job));
        return true;
      }
      if (kind === "videos" && method === "DELETE" && action === "") {
        jobs.delete(id);
        json(response, { id, object: "video.deleted", deleted: true });
        return true;
      }
      if (
        kind === "videos" &&
        method === "GET" &&
        action === "content" &&
        job.state === "completed"
      ) {
        response.writeHead(200, { "content-type": "video/mp4" }).end(tinyMp4);
        return true;
      }
      return false;
    },
    end(id: string, error?: { code: string; message: string }) {
      const job = jobs.get(id);
      if (job)
        Object.assign(job, {
          state: error ? "failed" : "completed",
          error: error ?? null,
          held: false,
        });
    },
  };
}

/** The head of an MP4 file, enough for code that checks the first bytes. */
export const tinyMp4 = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom"),
  Buffer.from([0, 0, 2, 0]),
  Buffer.from("isomiso2"),
]);
