import { afterAll, beforeAll, expect, it } from "vitest";
import { createRandom, type Random } from "../../soak/random.ts";
import { createTestDatabase } from "../databases/databases.ts";
import { untilTaken } from "./changes.ts";
import { eachOf } from "./each.ts";
import {
  closedAfterIt,
  delayed,
  emptied,
  foreignStatus,
  labeled,
  otherObject,
  resetAfterIt,
  shapes,
  tornAt,
} from "./faults.ts";
import { judge, type Whole } from "./oracle.ts";
import type { PlanOf } from "./plans.ts";
import type { Fault } from "./proxy.ts";
import { cutsOf, manyRunsMs } from "./torn-world.ts";
import type { TornWay } from "./way.ts";
import { createTornWorld, type Scene, type TornWorld } from "./world.ts";

/** When and how often a provider reports a job whose answer met a fault. */
type Telling = { name: string; tell(scene: Scene): Promise<string[]> };

const statesOf = (scene: Scene, limitMs?: number) =>
  scene.world.untilState(scene.runId, ["unconfirmed", "succeeded"], limitMs);

/** @returns the problems with the answers to its calls */
async function send(
  { started }: Scene,
  wanted: number,
  wish: { copies?: number; forged?: boolean } = {},
): Promise<string[]> {
  const statuses = await started.tell!(wish);
  if (statuses.length === 0) return ["there is no job to tell of"];
  return statuses.every((status) => status === wanted)
    ? []
    : [`a call${wish.forged ? " that is forged" : ""} is answered ${statuses.join(", ")}`];
}

const keepsItsResult = async ({ world, runId }: Scene): Promise<string[]> =>
  (await world.untilKept(runId)) ? [] : ["the webhook came, and its result is not kept"];

const tellings: readonly Telling[] = [
  {
    name: "a late webhook",
    async tell(scene) {
      await statesOf(scene);
      return send(scene, 200);
    },
  },
  {
    name: "a late webhook, ten times at once",
    async tell(scene) {
      await statesOf(scene);
      return send(scene, 200, { copies: 10 });
    },
  },
  {
    name: "told while its answer is on its way",
    async tell(scene) {
      await untilTaken(scene);
      return send(scene, 200);
    },
  },
  {
    name: "a late webhook, after a forged call",
    async tell(scene) {
      await statesOf(scene);
      const before = await statesOf(scene, 0);
      const forged = await send(scene, 404, { forged: true });
      const after = await statesOf(scene, 0);
      return [
        ...forged,
        ...(before === after ? [] : [`a forged call made it ${after}`]),
        ...(await send(scene, 200)),
      ];
    },
  },
  {
    name: "told after a person said that nothing was made",
    async tell(scene) {
      const { world, runId } = scene;
      if ((await statesOf(scene)) === "succeeded") return send(scene, 200);
      const decided = await world.person.call("resolveRun", {
        params: { runId },
        body: { outcome: "not-made" },
      });
      return [
        ...(decided.status === 200 ? [] : [`to decide is answered ${decided.status}`]),
        ...(await send(scene, 200)),
      ];
    },
  },
];

/** Faults after which the program doesn't know that the job was accepted. */
const lost: readonly Fault[] = [
  resetAfterIt,
  closedAfterIt,
  emptied,
  otherObject({}),
  otherObject({ message: "Service is warming up" }),
  labeled("text/html"),
  ...shapes.flatMap((shape) => [502, 503].map((status) => foreignStatus(status, shape))),
  foreignStatus(500, "HTML"),
  foreignStatus(524, "HTML"),
];

function planOf(fault: Fault, { name, tell }: Telling): PlanOf {
  const wrong: string[] = [];
  return {
    name: `${fault.name}; ${name}`,
    faultOf: (kind, number) => (kind === "paid" && number === 0 ? fault : undefined),
    async meanwhile(scene) {
      wrong.push(...(await tell(scene)));
      wrong.push(...(await keepsItsResult(scene)));
      // An ended job is reported again: nothing is booked or saved twice.
      wrong.push(...(await send(scene, 200, { copies: 2 })));
    },
    expects: ({ run }) => [
      ...wrong,
      ...(run.books.settlements === 1 ? [] : [`it was settled ${run.books.settlements} times`]),
    ],
  };
}

/**
 * The answer to its submit hangs: the webhook names the job, and the late answer changes nothing.
 */
function hanging(waits: boolean): PlanOf {
  const answer = delayed();
  const wrong: string[] = [];
  return {
    name: `${answer.name}; told ${waits ? "when nobody waits for it any more" : "while it is waited for"}`,
    faultOf: (kind, number) => (kind === "paid" && number === 0 ? answer : undefined),
    async meanwhile(scene) {
      const { world } = scene;
      await untilTaken(scene);
      if (waits)
        for (
          let minutes = 0;
          minutes < 3 && (await statesOf(scene, 1_000)) !== "unconfirmed";
          minutes++
        )
          world.advance(60_000);
      wrong.push(...(await send(scene, 200)));
      wrong.push(...(await keepsItsResult(scene)));
      answer.release();
      wrong.push(...(await send(scene, 200)));
    },
    expects: ({ run }) => [
      ...wrong,
      ...(run.state === "succeeded" ? [] : [`it is ${run.state} (${run.error?.message})`]),
    ],
  };
}

/**
 * The contract for a provider with webhooks: whatever happened to the answer to the submit, a
 * signed call delivers the result, and repeated calls settle the run only once.
 */
export function survivesItsWebhooks(way: TornWay, seed = 20_261_122): void {
  let world: TornWorld;
  let whole: Whole;
  beforeAll(async () => {
    world = await createTornWorld(await createTestDatabase("sqlite"), [way.adapter], {
      isReached: true,
    });
  });
  afterAll(() => world.close());

  async function wrongOf(plans: readonly PlanOf[], together: number): Promise<string[]> {
    const wrong: string[] = [];
    await eachOf(plans, together, async (plan) => {
      const fate = await world.live(way, plan);
      const found = [
        ...judge(way, whole, fate),
        ...plan.expects!(fate),
        ...(fate.files === whole.files ? [] : [`it has ${fate.files} files`]),
        ...(fate.run.costMicros === whole.costMicros ? [] : [`it cost ${fate.run.costMicros}`]),
      ];
      if (found.length > 0)
        wrong.push([`${plan.name}: ${found.join("; ")}`, ...fate.journal].join("\n      "));
    });
    return wrong;
  }

  it(
    `${way.name}: a signed webhook downloads the result of a torn answer, and settles it once`,
    async () => {
      const control = await world.live(way, { name: "undisturbed" });
      const { run, text, files } = control;
      whole = { text, files, costMicros: run.costMicros! };
      expect(judge(way, whole, control)).toEqual([]);
      const random: Random = createRandom(seed);
      const cuts = cutsOf(way, control, seed).map(({ fault }) => fault);
      const plans = [
        ...[...cuts, ...lost].map((fault) => planOf(fault, random.pick(tellings))),
        ...tellings.map((telling) => planOf(tornAt(9, "reset"), telling)),
      ];
      expect(await wrongOf(plans, 24), `seed ${seed}`).toEqual([]);
    },
    manyRunsMs,
  );

  // Each test runs alone, because the world's single clock advances.
  it.each([false, true])(
    `${way.name}: a signed webhook downloads the result of a job whose submit is never answered (after the wait: %s)`,
    async (waits) => {
      expect(await wrongOf([hanging(waits)], 1)).toEqual([]);
    },
  );
}
