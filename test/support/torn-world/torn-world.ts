import { afterAll, beforeAll, expect, it } from "vitest";
import type { Task } from "#contract/tasks.ts";
import type { Adapter } from "#providers/adapter.ts";
import { createRandom } from "../../soak/random.ts";
import { createTestDatabase } from "../databases/databases.ts";
import { changesOf } from "./changes.ts";
import { eachOf } from "./each.ts";
import { edgesOf, endings, tornAt } from "./faults.ts";
import { judge, type Whole } from "./oracle.ts";
import { type PlanOf, plansOf } from "./plans.ts";
import type { Fault, WholeAnswer } from "./proxy.ts";
import { hangs, late, silencesOf } from "./silence.ts";
import type { TornWay } from "./way.ts";
import { createTornWorld, type Fate, type TornWorld } from "./world.ts";

/** Enough for hundreds of runs on a busy machine. */
export const manyRunsMs = 300_000;
/** The number of parallel runs: enough that their waits overlap. */
const together = 24;

/** A live canvas is a session of frames on a socket, without separately paid requests. */
const untorn: ReadonlySet<Task> = new Set(["live"]);

/**
 * The tasks, jobs and direct answers that an adapter declares and that none of these ways covers.
 */
export function missingWays(adapter: Adapter, ways: readonly TornWay[]): string[] {
  const own = ways.filter((way) => way.adapter.kind === adapter.kind);
  const tasks = new Set(own.map(({ request }) => request.task));
  return [
    ...adapter.tasks.filter((task) => !untorn.has(task) && !tasks.has(task)),
    ...(adapter.job && !own.some(({ goes }) => goes === "job") ? ["a job"] : []),
    ...(adapter.answer && !own.some(({ goes }) => goes !== "job") ? ["an answer at once"] : []),
  ];
}

/**
 * The contract of every adapter in a world where answers are torn, mislabeled, emptied, doubled,
 * late, or another service's: the whole program drives each way through every fault, and the
 * simulator's ledger is the truth about payments.
 */
export function survivesTheTornWorld(ways: readonly TornWay[], seed = 20_261_122): void {
  let world: TornWorld;
  beforeAll(async () => {
    world = await createTornWorld(await createTestDatabase("sqlite"), [
      ...new Set(ways.map(({ adapter }) => adapter)),
    ]);
  });
  afterAll(() => world.close());

  const adapters = new Map(ways.map(({ adapter }) => [adapter.kind, adapter]));
  it.each([...adapters])("%s: each of its tasks goes through the torn world", (_, adapter) => {
    expect(missingWays(adapter, ways)).toEqual([]);
  });

  /** @returns the problems with each plan of a way */
  async function torn(way: TornWay): Promise<string[]> {
    const control = await world.live(way, { name: "undisturbed" });
    const { run, text, files } = control;
    if (run.state !== "succeeded")
      return [`${way.name}, undisturbed: it is ${run.state} (${run.error?.message})`];
    const whole: Whole = { text, files, costMicros: run.costMicros! };
    const wrong = judge(way, whole, control).map((one) => `${way.name}, undisturbed: ${one}`);
    const cuts = way.isTwin ? [] : cutsOf(way, control, seed);
    await eachOf([...cuts, ...plansOf(way)], together, async (plan) => {
      const fate = await world.live(way, plan);
      const found = [...judge(way, whole, fate), ...(plan.expects?.(fate) ?? [])];
      if (found.length > 0)
        wrong.push(
          [`${way.name}, ${plan.name}: ${found.join("; ")}`, ...fate.journal].join("\n      "),
        );
    });
    return wrong;
  }

  const single = ways.filter(({ isTwin }) => !isTwin);
  it.each(single.map((way) => [way.name, way] as const))(
    "%s: paid results are saved or shown, whatever faults its answers have",
    async (_, way) => expect(await torn(way), `seed ${seed}`).toEqual([]),
    manyRunsMs,
  );

  const twins = ways.filter(({ isTwin }) => isTwin);
  if (twins.length > 0)
    it(
      "paid results are saved or shown for each further task",
      async () => expect((await Promise.all(twins.map(torn))).flat(), `seed ${seed}`).toEqual([]),
      manyRunsMs,
    );

  const jobs = single.filter(({ goes }) => goes === "job").map((way) => [way.name, way] as const);
  it.each(jobs)(
    "%s: no change of its connection ends it, and its result is saved when the change is undone",
    async (_, way) => {
      const wrong: string[] = [];
      await eachOf(changesOf(way), together, async (plan) => {
        const fate = await world.live(way, plan);
        const found = plan.expects!(fate);
        if (found.length > 0)
          wrong.push([`${plan.name}: ${found.join("; ")}`, ...fate.journal].join("\n      "));
      });
      expect(wrong).toEqual([]);
    },
  );

  it.each(jobs)(
    "%s: polls that fail forever release its place, and leave it unconfirmed with a next step",
    async (_, way) => {
      const wrong: string[] = [];
      await eachOf(silencesOf(way, world), together, async (plan) => {
        const fate = await world.live(way, plan);
        const found = [...(fate.wayOn?.wrong ?? []), ...plan.expects!(fate)];
        if (found.length > 0)
          wrong.push([`${plan.name}: ${found.join("; ")}`, ...fate.journal].join("\n      "));
      });
      expect(wrong).toEqual([]);
    },
  );

  it.each(jobs)("%s: a hanging poll is given up and repeated", async (_, way) => {
    const plan = hangs();
    const fate = await world.live(way, plan);
    expect(plan.expects!(fate), fate.journal.join("\n")).toEqual([]);
  });

  it.each(single.map((way) => [way.name, way] as const))(
    "%s: an answer that arrives after every limit is saved",
    async (_, way) => {
      const plan = late(way);
      const fate = await world.live(way, plan);
      expect(plan.expects!(fate), fate.journal.join("\n")).toEqual([]);
    },
  );
}

/** The answer to the paid request, torn at each frame's edge and at some bytes in between. */
export function cutsOf(
  way: TornWay,
  { paidAnswer }: Fate,
  seed: number,
): (PlanOf & { fault: Fault })[] {
  const answer = paidAnswer!;
  const random = createRandom(seed);
  const between = Array.from({ length: way.cuts ?? 16 }, () =>
    random.whole(1, Math.max(1, answer.body.length - 1)),
  );
  const bytes = [...new Set([...edgesOf(answer), ...between])].sort((one, other) => one - other);
  return bytes.map((at, index) => {
    const fault = tornAt(at, endings[index % endings.length]!);
    // A receiver may discard data sent just before a reset.
    const isHeard = endings[index % endings.length] !== "reset";
    const isNamed = isHeard && namesIt(way, answer, at);
    const arrived = isHeard ? filesIn(way, answer, at) : 0;
    return {
      fault,
      name: `${fault.name} of ${answer.body.length}`,
      faultOf: (kind, number) => (kind === "paid" && number === 0 ? fault : undefined),
      expects: ({ run, wayOn, files }) => [
        ...(!isNamed || run.state === "succeeded" || wayOn?.by === "found"
          ? []
          : [`its provider's id came, and it is ${run.state}`]),
        ...(files >= arrived ? [] : [`${arrived} files arrived, and ${files} are saved`]),
      ],
    };
  });
}

/** The number of complete files in the first bytes of its answer. */
function filesIn({ fileFrame }: TornWay, answer: WholeAnswer, bytes: number): number {
  if (!fileFrame) return 0;
  const edges = edgesOf(answer).filter((edge) => edge <= bytes);
  return edges.filter(
    (edge, index) =>
      index > 0 && fileFrame.test(answer.body.subarray(edges[index - 1], edge).toString()),
  ).length;
}

/**
 * Whether the first bytes of its answer, or their head, contain the id by which the provider can be
 * asked.
 */
function namesIt(
  { adapter, goes, namesInHead }: TornWay,
  { body }: WholeAnswer,
  bytes: number,
): boolean {
  if (namesInHead) return true;
  if (goes !== "job" || adapter.job?.idField === undefined) return false;
  const { [adapter.job.idField]: id } = JSON.parse(body.toString()) as Record<string, unknown>;
  return body.subarray(0, bytes).includes(JSON.stringify(id));
}
