import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "#contract/entities.ts";
import type { Watchers } from "#store/runs/unit.ts";

/** The points at which a test can make a server fail, in the order of a run's path. */
const failpointNames = [
  /** A run and its reservation are written, in the unit that admits them. */
  "run.commit",
  /** A form's runs are durable, and the caller has no answer yet. */
  "run.admitted",
  /** Runs are queued, and no claim has started. Has no run, so `words` never match. */
  "claim.begin",
  /** A run is claimed and its attempt written, in the unit that claims it from the queue. */
  "claim.commit",
  /** The attempt is durable, and nothing has been sent to the provider. */
  "attempt.begin",
  /** A free request of the attempt, such as an upload, is about to be sent; the mark is durable. */
  "attempt.prepare",
  /**
   * A server has taken the lease to check an unresponsive service, and hasn't checked it. Has no
   * run.
   */
  "circuit.ask",
  /** The paid request's body has been written to its socket, and no answer has arrived. */
  "attempt.sent",
  /** A provider has returned a job's id, and the id isn't durable. */
  "job.accepted",
  /** A part of an answer has been read, and is neither durable nor shown. */
  "answer.part",
  /** A run's events are about to be written; its text has been published. */
  "log.write",
  /** An answer has been read to its end, and the end isn't durable. */
  "answer.whole",
  /** The job's id is durable, and the job hasn't been polled. */
  "job.follow",
  /** A live session is admitted, and nothing has been sent to its service. */
  "session.open",
  /** A live session is open, and nothing has been drawn. */
  "session.running",
  /** The first bytes of an output have arrived. */
  "output.begun",
  /** An output's file is durable, and no row refers to it. */
  "output.kept",
  /** A run is passed to its alias's next model, in the unit that moves it and its reservation. */
  "alias.commit",
  /** The pass is durable, and the run may already be claimed. */
  "alias.passed",
  /** A run's end is written, with its files and books, in the unit that settles it. */
  "settle.commit",
  /** The end is durable, and nobody has been notified. Has no run. */
  "settle.committed",
  /** An address has accepted a delivery, which isn't durable. Has no run. */
  "hook.taken",
  /** A file of an import is stored and described, and its row isn't written. Has no run. */
  "import.file",
  /** Some rows of an import are written, in the unit that writes them. Has no run. */
  "import.rows",
  /** An import's project gets its first member, in the unit that reveals it. Has no run. */
  "import.shown",
  /** A new version of the master key is in its file, and nothing is sealed with it. Has no run. */
  "key.written",
  /** The database names the new version, and every secret still needs the old one. Has no run. */
  "key.activated",
  /** Some secrets are durably wrapped with the new version. Has no run. */
  "key.rewrapped",
  /** A part of a deleted person or project is durably erased, and more is left. Has no run. */
  "erase.part",
] as const;
export type FailpointName = (typeof failpointNames)[number];

/** Points inside a unit, or where nothing can be awaited, which allow only synchronous actions. */
const atOnce: ReadonlySet<FailpointName> = new Set([
  "run.commit",
  "claim.commit",
  "attempt.sent",
  "alias.commit",
  "settle.commit",
  "settle.committed",
  "import.rows",
  "import.shown",
]);

type Action =
  | { type: "kill" }
  | { type: "throw" }
  | { type: "hang" }
  /** Waits for the next SIGUSR2, so that a test decides when to go on. */
  | { type: "hold" }
  | { type: "delay"; ms: number };
/**
 * `words` limits the failpoint to runs whose task or input contains them. `occurrence` is the n-th
 * time that the point is reached; 0 means each time.
 */
export type Failpoint = { name: FailpointName; words: string; occurrence: number; action: Action };

/** The parts of a run that `words` are matched against. */
type RunDescription = Pick<Run, "task" | "input">;
export type Failpoints = {
  /**
   * Performs the action planned for this point. Points in `atOnce` return nothing to await.
   * @throws Error for `throw`
   */
  at(name: FailpointName, run?: RunDescription): Promise<void> | undefined;
  /** Whether any failpoint uses this point. */
  has(name: FailpointName): boolean;
};

const form =
  /^(?<name>[a-z.]+)(?:@(?<words>[^#=;]+))?(?:#(?<occurrence>[1-9]\d{0,5}))?=(?<action>[a-z]+)(?::(?<ms>\d{1,6}))?$/;

/**
 * Parses `job.accepted=kill;output.begun@a red door#2=delay:200`: the point, the run, the
 * occurrence, the action.
 * @throws Error with a sentence for the test's author
 */
export function readFailpoints(text: string): Failpoint[] {
  return text
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean)
    .map(readFailpoint);
}

function readFailpoint(part: string): Failpoint {
  const found = form.exec(part)?.groups;
  if (!found)
    throw new Error(
      `must be like job.accepted=kill or output.begun@words#2=delay:200, which "${part}" is not`,
    );
  const name = failpointNames.find((known) => known === found.name);
  if (!name)
    throw new Error(`names "${found.name}", which is not one of ${failpointNames.join(", ")}`);
  const action = toAction(found.action ?? "", found.ms);
  if (!action)
    throw new Error(
      `must say kill, throw, hang, hold or delay:<ms> at ${name}, and not "${part.slice(part.indexOf("=") + 1)}"`,
    );
  if (atOnce.has(name) && ["hang", "hold", "delay"].includes(action.type))
    throw new Error(`can only kill or throw at ${name}, where nothing can wait`);
  return { name, words: found.words ?? "", occurrence: Number(found.occurrence ?? 0), action };
}

function toAction(type: string, ms: string | undefined): Action | undefined {
  if (type === "delay") return ms === undefined ? undefined : { type, ms: Number(ms) };
  if (ms !== undefined) return undefined;
  return type === "kill" || type === "throw" || type === "hang" || type === "hold"
    ? { type }
    : undefined;
}

/** Each point that is reached prints one line to standard error, which tells the test. */
export function createFailpoints(planned: readonly Failpoint[]): Failpoints {
  const seen = planned.map(() => 0);
  // Without a listener, the signal would end the process.
  if (planned.some(({ action }) => action.type === "hold")) process.on("SIGUSR2", () => undefined);
  return {
    has: (name) => planned.some((point) => point.name === name),
    at(name, run) {
      const words = run && `${run.task} ${JSON.stringify(run.input)}`;
      for (const [i, point] of planned.entries()) {
        if (point.name !== name || (point.words && !words?.includes(point.words))) continue;
        seen[i]!++;
        if (point.occurrence === 0 || point.occurrence === seen[i]) return act(point);
      }
      return undefined;
    },
  };
}

function act({ name, words, action }: Failpoint): Promise<void> | undefined {
  writeSync(2, `failpoint ${name}${words && `@${words}`}: ${action.type}\n`);
  switch (action.type) {
    case "kill":
      process.kill(process.pid, "SIGKILL");
      return undefined;
    case "throw":
      throw new Error(`failpoint ${name}`);
    case "hang":
      return new Promise(() => undefined);
    case "hold":
      return new Promise((resolve) => process.once("SIGUSR2", () => resolve()));
    case "delay":
      return sleep(action.ms);
  }
}

/** The same watchers, with a failpoint before the notification of a run's end. */
export function withFailpoint(watchers: Watchers, failpoints: Failpoints | undefined): Watchers {
  if (!failpoints) return watchers;
  return {
    queued: watchers.queued,
    claimed: watchers.claimed,
    hooks: watchers.hooks,
    tell(news) {
      if (news.events.some((event) => event.type === "run-settled"))
        failpoints.at("settle.committed");
      watchers.tell(news);
    },
  };
}
