import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "#contract/entities.ts";
import type { Watchers } from "#store/runs/unit.ts";

/** Where a server can be made to fail on purpose, in the order of the road. */
const failpointNames = [
  /** A run and its hold are written, in the unit that admits them. */
  "run.commit",
  /** The runs of a form are durable, and the caller has no answer yet. */
  "run.admitted",
  /** Runs wait, and no one has started to claim them. Of no run: words never match it. */
  "claim.begin",
  /** A run is claimed and its attempt written, in the unit that claims it from the queue. */
  "claim.commit",
  /** The attempt is durable, and nothing has left for the provider. */
  "attempt.begin",
  /** A server took it upon itself to ask a service that did not answer, and has not asked. Of no run. */
  "circuit.ask",
  /** The body of the paid request was handed to its socket; no answer has come. */
  "attempt.sent",
  /** A provider has named the job that it took, and the name is not durable. */
  "job.accepted",
  /** A part of an answer was read, and is neither durable nor shown. */
  "answer.part",
  /** Events of a run are about to be written: its words have been told. */
  "log.write",
  /** An answer was read to its end, and the end is not durable. */
  "answer.whole",
  /** The job's name is durable, and nothing was asked about it. */
  "job.follow",
  /** A live session is admitted, and its service was not asked for anything. */
  "session.open",
  /** It is open, and nothing was drawn yet. */
  "session.running",
  /** The first bytes of an output have come. */
  "output.begun",
  /** An output's file is durable, and no row names it. */
  "output.kept",
  /** A run goes to the next model behind its alias, in the unit that moves it and its hold. */
  "alias.commit",
  /** It has gone there, durably, and may be claimed already. */
  "alias.passed",
  /** A run's end is written, with its files and books, in the unit that settles it. */
  "settle.commit",
  /** The end is durable, and no one was notified. Of no run. */
  "settle.committed",
  /** An address has taken a delivery, and that is not durable. Of no run. */
  "hook.taken",
  /** A file of an import is stored and described, and its row is not written. Of no run. */
  "import.file",
  /** Some rows of an import are written, in the unit that writes them. Of no run. */
  "import.rows",
  /** An import's project gets its first member, in the unit that shows it. Of no run. */
  "import.shown",
  /** A new version of the master key is in its file, and nothing is sealed with it. Of no run. */
  "key.written",
  /** The database names it, and every secret still needs the old one. Of no run. */
  "key.activated",
  /** Some secrets are wrapped with it, durably. Of no run. */
  "key.rewrapped",
  /** A part of a deleted person or project is erased, durably, and more is left. Of no run. */
  "erase.part",
] as const;
export type FailpointName = (typeof failpointNames)[number];

/** Inside a unit, or where nothing can be waited for: only what happens at once. */
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
  | { type: "delay"; ms: number };
/** `words`: only for a run whose task or input has them. `occurrence`: only the n-th time that it comes to this; 0: each time. */
export type Failpoint = { name: FailpointName; words: string; occurrence: number; action: Action };

/** What a failpoint needs of a run, to know whether it is meant. */
type About = Pick<Run, "task" | "input">;
export type Failpoints = {
  /** Does what was asked for at this point. Where it is wanted at once there is nothing to wait for. @throws Error for `throw` */
  at(name: FailpointName, run?: About): Promise<void> | undefined;
  /** Whether anything is asked for at this point, ever. */
  has(name: FailpointName): boolean;
};

const form =
  /^(?<name>[a-z.]+)(?:@(?<words>[^#=;]+))?(?:#(?<occurrence>[1-9]\d{0,5}))?=(?<action>[a-z]+)(?::(?<ms>\d{1,6}))?$/;

/**
 * Reads `job.accepted=kill;output.begun@a red door#2=delay:200`: at which point, for which run, which time, what.
 * @throws Error with a sentence for its author
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
      `must say kill, throw, hang or delay:<ms> at ${name}, and not "${part.slice(part.indexOf("=") + 1)}"`,
    );
  if (atOnce.has(name) && (action.type === "hang" || action.type === "delay"))
    throw new Error(`can only kill or throw at ${name}, where nothing can wait`);
  return { name, words: found.words ?? "", occurrence: Number(found.occurrence ?? 0), action };
}

function toAction(type: string, ms: string | undefined): Action | undefined {
  if (type === "delay") return ms === undefined ? undefined : { type, ms: Number(ms) };
  if (ms !== undefined) return undefined;
  return type === "kill" || type === "throw" || type === "hang" ? { type } : undefined;
}

/** Each point that is reached prints one line on standard error, so that the test knows. */
export function createFailpoints(planned: readonly Failpoint[]): Failpoints {
  const seen = planned.map(() => 0);
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
