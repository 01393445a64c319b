import { randomUUID } from "node:crypto";
import type { SimulatedModel } from "./catalogue.ts";
import type { FalFaults } from "./faults.ts";
import type { MadeFile } from "./media.ts";
import { type FilmMaker, makeOutput, type Output } from "./outputs.ts";
import { type FalStorage, outputFaults, type StoredFile } from "./storage.ts";

export type Failure = { status: number; body: unknown; headers?: Record<string, string> };
export type Job = {
  id: string;
  model: SimulatedModel;
  input: Record<string, unknown>;
  prompt: string;
  lifecycle: string | undefined;
  webhook: string | null;
  files: StoredFile[];
  stage: number;
  held: "queue" | "run" | null;
  output: Output | null;
  failure: Failure | null;
  startedAt: number;
};
/**
 * polls: each poll advances a job, and a stream advances it by itself. time: it advances at
 * intervals, for people.
 */
export type Pace = { by: "polls" } | { by: "time"; stepMs: number };
export type Bill = { requestId: string; prompt: string; model: string; units: string };

/** Two places in the queue, then five of the runner's lines, then the end. */
const queuePlaces = [2, 1];
const runnerSteps = 4;
const lastStage = queuePlaces.length + runnerSteps + 1;

const failures = {
  "result-422": {
    status: 422,
    body: {
      detail: [
        {
          loc: ["body", "image_size", "width"],
          msg: "Input should be less than 14142",
          type: "less_than",
        },
      ],
    },
  },
  "content-policy": {
    status: 422,
    body: {
      detail: [
        {
          loc: ["body", "prompt"],
          msg: "The content could not be processed because it was flagged.",
          type: "content_policy_violation",
        },
      ],
    },
    headers: { "x-fal-retryable": "false" },
  },
  "runner-failed": {
    status: 503,
    body: { detail: "Runner disconnected", error_type: "runner_disconnected" },
    headers: { "x-fal-error-type": "runner_disconnected" },
  },
} as const satisfies Partial<Record<string, Failure>>;

export function createJobs(deps: {
  storage: FalStorage;
  faults: FalFaults;
  pace: Pace;
  bill: (bill: Bill) => void;
  now: () => number;
  ended: (job: Job) => void;
  film?: FilmMaker | undefined;
}) {
  const { storage, faults, pace, bill } = deps;
  const jobs = new Map<string, Job>();
  const waiting = new Set<() => void>();

  function notify() {
    for (const wake of [...waiting]) wake();
    waiting.clear();
  }

  function add(
    model: SimulatedModel,
    input: Record<string, unknown>,
    prompt: string,
    lifecycle: string | undefined,
    webhook: string | null,
  ): Job {
    const held = faults.take(prompt, "hold-queue")
      ? "queue"
      : faults.take(prompt, "hold")
        ? "run"
        : null;
    const job: Job = {
      id: randomUUID(),
      model,
      input,
      prompt,
      lifecycle,
      webhook,
      files: [],
      stage: 0,
      held,
      output: null,
      failure: null,
      startedAt: deps.now(),
    };
    jobs.set(job.id, job);
    if (pace.by === "time") {
      const timer = setInterval(() => {
        advance(job);
        if (isDone(job)) clearInterval(timer);
      }, pace.stepMs).unref();
    }
    return job;
  }

  function advance(job: Job) {
    if (
      isDone(job) ||
      (job.held === "queue" && job.stage === 0) ||
      (job.held === "run" && job.stage === queuePlaces.length + 2)
    )
      return;
    job.stage++;
    if (isDone(job)) {
      end(job);
      deps.ended(job);
    }
    notify();
  }

  function end(job: Job) {
    // A test has set how it ends.
    if (job.failure) return;
    for (const [fault, failure] of Object.entries(failures) as [keyof typeof failures, Failure][]) {
      if (faults.take(job.prompt, fault)) {
        job.failure = failure;
        return;
      }
    }
    const fileFault = outputFaults.find((fault) => faults.take(job.prompt, fault));
    const firstAlone = faults.take(job.prompt, "output-first");
    const isForeign = faults.take(job.prompt, "output-foreign");
    const store = (made: MadeFile): string => {
      if (isForeign) return `https://files.example/${made.name}`;
      const file = storage.add(made.name, made.mime, job.lifecycle, made.bytes);
      job.files.push(file);
      if (fileFault && (!firstAlone || made.name.includes("-1."))) file.fault = fileFault;
      return storage.address(file);
    };
    job.output = makeOutput(job.model, job.input, store, deps.film);
    const { body } = job.output;
    if (Array.isArray(body.images) && faults.take(job.prompt, "output-none")) body.images = [];
    if (Array.isArray(body.images) && faults.take(job.prompt, "output-fewer"))
      body.images.splice(1);
    bill({ requestId: job.id, prompt: job.prompt, model: job.model.id, units: job.output.units });
  }

  function cancel(job: Job): Failure {
    if (isDone(job)) return { status: 400, body: { status: "ALREADY_COMPLETED" } };
    const isWaiting = job.stage < queuePlaces.length;
    if (!isWaiting && !faults.take(job.prompt, "stops-on-cancel"))
      return { status: 202, body: { status: "CANCELLATION_REQUESTED" } };
    job.stage = lastStage;
    job.failure = {
      status: 499,
      body: { detail: "Request was cancelled", error_type: "client_cancelled" },
      headers: { "x-fal-error-type": "client_cancelled" },
    };
    deps.ended(job);
    notify();
    return isWaiting
      ? { status: 200, body: { status: "OK" } }
      : { status: 202, body: { status: "CANCELLATION_REQUESTED" } };
  }

  const unanswered = new Map<Job, () => void>();

  function answer(prompt: string) {
    for (const [job, go] of unanswered) if (job.prompt.includes(prompt)) go();
  }

  function release(prompt: string) {
    for (const job of jobs.values()) if (job.prompt.includes(prompt)) job.held = null;
    notify();
  }

  return {
    jobs,
    add,
    /** Serves these jobs' files correctly from now on. */
    mend(prompt: string) {
      for (const job of jobs.values())
        if (job.prompt.includes(prompt)) for (const file of job.files) delete file.fault;
    },
    cancel,
    release,
    answer,
    /** Resolves when this job's submit may be answered. */
    mayAnswer: (job: Job) => new Promise<void>((resolve) => unanswered.set(job, resolve)),
    /** Advances a job if polls do that. */
    look: (job: Job) => pace.by === "polls" && advance(job),
    finish(job: Job) {
      job.held = null;
      while (!isDone(job)) advance(job);
    },
    changed: () => new Promise<void>((resolve) => waiting.add(resolve)),
    isHeld: (job: Job) => job.held !== null,
    stop: notify,
  };
}
export type FalJobs = ReturnType<typeof createJobs>;

export const isDone = (job: Job) => job.stage >= lastStage;

/**
 * A status answer's body. A poll has every line so far; a stream event has those since the previous
 * one.
 */
export function statusOf(
  job: Job,
  urls: Record<string, string>,
  withLogs: boolean,
  logsFrom = 0,
): { status: number; body: Record<string, unknown> } {
  const logs = withLogs ? { logs: logLines(job).slice(logsFrom) } : {};
  if (job.stage < queuePlaces.length)
    return {
      status: 202,
      body: {
        status: "IN_QUEUE",
        request_id: job.id,
        queue_position: queuePlaces[job.stage],
        ...urls,
      },
    };
  if (!isDone(job))
    return { status: 202, body: { status: "IN_PROGRESS", request_id: job.id, ...logs, ...urls } };
  return {
    status: 200,
    body: {
      status: "COMPLETED",
      request_id: job.id,
      ...logs,
      metrics: { inference_time: 1.25 },
      ...urls,
    },
  };
}

export function logLines(job: Job) {
  const lines = Math.min(Math.max(0, job.stage - queuePlaces.length + 1), runnerSteps + 1);
  return Array.from({ length: lines }, (_, step) => ({
    message:
      step === 0
        ? "Prêt ✨"
        : `${(step * 100) / runnerSteps}%|${"█".repeat(step)}${" ".repeat(runnerSteps - step)}| ${step}/${runnerSteps} [00:0${step}<00:01,  8.60it/s]`,
    level: "INFO",
    source: "USER",
    timestamp: new Date(job.startedAt + step * 1_000).toISOString(),
  }));
}
