import {
  closedAfterIt,
  doubled,
  emptied,
  endings,
  foreignStatus,
  labeled,
  otherObject,
  ownStatus,
  resetAfterIt,
  resetBeforeIt,
  shapes,
  tornAtShare,
} from "../support/torn-world/faults.ts";
import { type Fault, type RequestKind, startTornProxy } from "../support/torn-world/proxy.ts";
import type { TornWay } from "../support/torn-world/way.ts";
import type { Random } from "./random.ts";

/**
 * A proxy between the program and a simulator: answers pass unchanged, except for those with a
 * fault.
 */
export type TornLine = {
  origin: string;
  /** The next paid request that contains this text meets the fault. */
  tear(words: string, fault: Fault): void;
  /** The next poll or file request meets the fault, whoever sends it. */
  tearQuestion(fault: Fault): void;
  stop(): Promise<void>;
};

export async function startTornLine(
  target: string,
  isPaid: (asked: { method: string; path: string }) => boolean,
): Promise<TornLine> {
  const paid = new Map<string, Fault>();
  const questions: Fault[] = [];
  const faultOf = (kind: RequestKind, { body }: { body: Buffer }): Fault | undefined => {
    if (kind === "question") return questions.shift();
    const words = [...paid.keys()].find((one) => body.includes(JSON.stringify(one).slice(1, -1)));
    const fault = words === undefined ? undefined : paid.get(words);
    if (words !== undefined) paid.delete(words);
    return fault;
  };
  const proxy = await startTornProxy({ target, isPaid, faultOf });
  return {
    origin: proxy.origin,
    tear: (words, fault) => void paid.set(words, fault),
    tearQuestion: (fault) => void questions.push(fault),
    stop: proxy.stop,
  };
}

const statuses = [404, 500, 502, 503, 504, 524];

/** Any fault of the torn world, at byte positions chosen by the seed. */
export function anyFault(random: Random, ownError: TornWay["ownError"]): Fault {
  return random.pick([
    () => tornAtShare(random.share(), random.pick(endings)),
    () => tornAtShare(random.share(), random.pick(endings)),
    () => tornAtShare(random.share(), random.pick(endings)),
    () => labeled(random.pick(["text/html", "text/plain", "application/octet-stream", null])),
    () =>
      random.pick([
        emptied,
        doubled,
        otherObject({}),
        otherObject({ message: "Service is warming up" }),
      ]),
    () => random.pick([resetAfterIt, closedAfterIt, resetBeforeIt]),
    () => foreignStatus(random.pick(statuses.slice(1)), random.pick(shapes)),
    () => foreignStatus(random.pick(statuses), random.pick(shapes), true),
    () => ownStatus(random.pick([400, 404, 422, 500]), ownError),
    () => ownStatus(429, ownError, { "retry-after": "1" }),
  ])();
}

/** Faults of polls, without any that state the job's end in the provider's own words. */
export function anyQuestionFault(random: Random): Fault {
  return random.pick([
    () => tornAtShare(random.share(), random.pick(endings)),
    () => labeled(random.pick(["text/html", null])),
    () => random.pick([emptied, otherObject({}), resetAfterIt, closedAfterIt, resetBeforeIt]),
    () => foreignStatus(random.pick(statuses), random.pick(shapes), true),
  ])();
}
