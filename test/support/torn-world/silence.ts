import { setTimeout as sleep } from "node:timers/promises";
import { untilTaken } from "./changes.ts";
import { delayed, foreignStatus, hanging, ownStatus } from "./faults.ts";
import type { PlanOf } from "./plans.ts";
import type { TornWay } from "./way.ts";
import { isOver, type TornWorld } from "./world.ts";

const minuteMs = 60_000;
const placeMs = 10 * minuteMs;
/** Longer than any provider stores a job. */
const longMs = 3 * 24 * 60 * minuteMs;

/**
 * Polls that are never answered. These runs go together: the single clock advances when all of them
 * are ready.
 */
export function silencesOf(way: TornWay, world: TornWorld): PlanOf[] {
  const missing = ownStatus(404, way.ownError);
  const faults = [
    ownStatus(500, way.ownError),
    foreignStatus(500, "HTML", true),
    missing,
    foreignStatus(404, "HTML", true),
    foreignStatus(200, "HTML", true),
  ];
  const tenMinutes = createGate(faults.length, () => world.advance(placeMs + minuteMs));
  const forLong = createGate(faults.length, () => world.advance(longMs));
  return faults.map((fault) => {
    let early = "";
    let hasPlace = true;
    return {
      name: `${fault.name}, to every question`,
      faultOf: (kind) => (kind === "question" ? fault : undefined),
      async meanwhile({ runId }) {
        // If 404 only means "not yet", no poll fails, and the run keeps its place until its
        // provider's documented time is over.
        const isNotYet = way.asksForFile === true && fault === missing;
        await (isNotYet
          ? world.untilState(runId, ["running"], 20_000)
          : world.untilAsked(runId, 20_000));
        await tenMinutes();
        hasPlace = !isNotYet && !(await isPlaceless(world, runId));
        early = await world.untilState(runId, [], 0);
        await forLong();
      },
      expects: ({ run }) => [
        ...(isOver(early) ? [`it was ${early} after ten minutes`] : []),
        ...(hasPlace ? ["it has its place after ten minutes"] : []),
        ...(run.state === "unconfirmed"
          ? []
          : [`it is ${run.state} (${run.error?.code}: ${run.error?.message})`]),
      ],
    };
  });
}

/** The polls at one address that are never answered. */
const unanswered: ReadonlySet<number> = new Set([0, 2]);

/** Polls that hang: each is abandoned after its timeout and repeated. */
export function hangs(): PlanOf {
  const fault = hanging();
  return {
    name: `questions: ${fault.name}`,
    faultOf: (kind, number) => (kind === "question" && unanswered.has(number) ? fault : undefined),
    async meanwhile({ world, runId }) {
      const ends = ["succeeded", "failed", "cancelled", "unconfirmed"];
      const since = performance.now();
      for (let met = 0; performance.now() - since < 20_000; await sleep(60)) {
        if (isOver(await world.untilState(runId, ends, 0))) return;
        if (fault.count() === met) continue;
        met = fault.count();
        world.advance(minuteMs);
      }
    },
    expects: ({ run }) => [
      ...(fault.count() === 0 ? ["no question was held back"] : []),
      ...(run.state === "succeeded"
        ? []
        : [`it is ${run.state} (${run.error?.code}: ${run.error?.message})`]),
    ],
  };
}

/** Resolves for all callers when all have arrived. */
function createGate(count: number, open: () => void): () => Promise<void> {
  const gate = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    if (--missing === 0) {
      open();
      gate.resolve();
    }
    return gate.promise;
  };
}

async function isPlaceless({ instance }: TornWorld, runId: string): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < 20_000; await sleep(60)) {
    const row = await instance.store.db
      .selectFrom("run")
      .select(["placeless", "state"])
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    if (row.placeless === 1) return true;
    if (isOver(row.state)) return false;
  }
  return false;
}

/** The answer to the paid request arrives long after the program has stopped waiting. */
export function late(way: TornWay): PlanOf {
  const answer = delayed();
  let during = "";
  return {
    name: answer.name,
    faultOf: (kind, number) => (kind === "paid" && number === 0 ? answer : undefined),
    async meanwhile(scene) {
      const { world, runId } = scene;
      await untilTaken(scene);
      // A job is awaited for a minute, from a check after its sending; a direct answer is awaited
      // as long as its connection is open.
      for (let minutes = 0; minutes <= 11 && !isOver(during); minutes++) {
        world.advance(minuteMs);
        during = await world.untilState(
          runId,
          ["unconfirmed", "succeeded"],
          way.goes === "job" ? 500 : 0,
        );
      }
      answer.release();
      await world.untilState(runId, ["succeeded", "failed", "cancelled"], 5_000);
    },
    expects: ({ run, ledger }) => [
      ...(way.goes === "job" && !["unconfirmed", "succeeded"].includes(during)
        ? [`it was ${during} after eleven minutes`]
        : []),
      ...(run.state === "succeeded"
        ? []
        : [`it is ${run.state} (${run.error?.code}: ${run.error?.message})`]),
      ...(ledger.length > 1 && !way.isFree && !ledger.every(({ token }) => token)
        ? [`${ledger.length} requests were sent`]
        : []),
    ],
  };
}
