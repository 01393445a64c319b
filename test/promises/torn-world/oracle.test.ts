import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { kinds } from "#providers/index.ts";
import { presetKinds } from "#providers/presets/index.ts";
import { google } from "#providers/services/google/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { toMedia } from "../../support/contracts/media-contract.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { tornAt } from "../../support/torn-world/faults.ts";
import { judge, type Whole } from "../../support/torn-world/oracle.ts";
import { missingWays } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";
import { takeWayOn } from "../../support/torn-world/way-on.ts";
import { createTornWorld, type Fate, type TornWorld } from "../../support/torn-world/world.ts";

const way = (goes: TornWay["goes"], request: TornWay["request"]): TornWay => ({
  name: goes,
  adapter: openaiCompatible,
  goes,
  async start() {
    const simulator = await startOpenAiCompatible();
    return {
      simulator,
      connection: {
        kind: "openai-compatible",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request,
  ownError: (_status, message) => ({
    body: { error: { message, type: "simulated", param: null, code: null } },
  }),
});
const picture = way("file", toMedia("image", "sim-chat", { prompt: "a fox" }));
const chat = way("words", buildRequest({ input: {} }));

/** Three genuine records: a delivered picture, one with a torn answer, and text that broke off. */
type Records = Record<"came" | "torn" | "broken", { way: TornWay; whole: Whole; fate: Fate }>;
let world: TornWorld;
let records: Records;

beforeAll(async () => {
  world = await createTornWorld(await createTestDatabase("sqlite"), [openaiCompatible]);
  const live = (of: TornWay, isTorn: boolean) =>
    world.live(of, {
      name: "one",
      faultOf: (kind) => (kind === "paid" && isTorn ? tornAt(200, "reset") : undefined),
    });
  const wholeOf = ({ run, text, files }: Fate): Whole => ({
    text,
    files,
    costMicros: run.costMicros!,
  });
  const [came, said] = [await live(picture, false), await live(chat, false)];
  records = {
    came: { way: picture, whole: wholeOf(came), fate: came },
    torn: { way: picture, whole: wholeOf(came), fate: await live(picture, true) },
    broken: { way: chat, whole: wholeOf(said), fate: await live(chat, true) },
  };
});
afterAll(() => world.close());

const judged = (name: keyof Records, change: (fate: Fate) => Partial<Fate>): string[] => {
  const { way: of, whole, fate } = records[name];
  return judge(of, whole, { ...fate, ...change(fate) });
};
const ofRun =
  (change: Partial<Fate["run"]>, more: Partial<Fate> = {}) =>
  ({ run }: Fate) => ({ ...more, run: { ...run, ...change } });
const ofBooks =
  (change: Partial<Fate["run"]["books"]>) =>
  ({ run }: Fate) => ({ run: { ...run, books: { ...run.books, ...change } } });

it("the judge accepts correct records", () => {
  expect(Object.values(records).map(({ fate }) => fate.run.state)).toEqual([
    "succeeded",
    "unconfirmed",
    "failed",
  ]);
  for (const name of ["came", "torn", "broken"] as const)
    expect(judged(name, () => ({}))).toEqual([]);
});

const refused = {
  state: "failed",
  costMicros: 0,
  costBasis: "assumed",
  error: { code: "provider_rejected", message: "no" },
};
it.each<[string, keyof Records, (fate: Fate) => Partial<Fate>, RegExp]>([
  ["a run that nobody moves any more", "came", ofRun({ state: "submitted" }), /never ended/],
  ["a run that was dropped", "torn", ofRun({ state: "cancelled", heldMicros: 0 }), /never ended/],
  [
    "a torn answer that is taken for none",
    "torn",
    ofRun({ ...refused, heldMicros: 0 }),
    /made and billed, and failed/,
  ],
  [
    "a torn answer that is called empty",
    "torn",
    ofRun({
      ...refused,
      heldMicros: 0,
      error: { code: "provider_protocol", message: "The answer contains no picture." },
    }),
    /made and billed, and failed/,
  ],
  [
    "a whole answer that is called empty",
    "came",
    (fate) => ({ ...ofRun(refused)(fate), files: 0 }),
    /made and billed, and failed/,
  ],
  [
    "a second request that counts",
    "torn",
    ({ ledger }) => ({ ledger: [...ledger, ...ledger] }),
    /2 requests that count/,
  ],
  ["a result that is not kept", "came", () => ({ files: 0 }), /without its result: 0 files/],
  [
    "words that are not those that came",
    "broken",
    () => ({ text: "another answer" }),
    /not what came/,
  ],
  ["a result that nobody made", "came", () => ({ ledger: [] }), /the provider made nothing/],
  ["a billed run that cost nothing", "came", ofRun({ costMicros: 0 }), /0 booked of/],
  ["billed words that cost nothing", "broken", ofRun({ costMicros: 0 }), /nothing is booked/],
  ["less held than billed", "came", ofRun({ mostHeldMicros: 39_999 }), /39999 held, 40000 billed/],
  [
    "an unconfirmed run whose money is given back",
    "torn",
    ofRun({ heldMicros: 0 }),
    /only 0 are held/,
  ],
  ["an unconfirmed run that nobody can end", "torn", () => ({ wayOn: null }), /nobody can end it/],
  [
    "words that are left to a person to decide",
    "broken",
    ofRun({ state: "unconfirmed" }),
    /left for a person to decide/,
  ],
  ["a run that is settled twice", "came", ofBooks({ settlements: 2 }), /settled 2 times/],
  ["books that say another cost", "came", ofBooks({ costMicros: 80_000 }), /its books say 80000/],
  [
    "money that is held after the end",
    "came",
    ofRun({ heldMicros: 40_000 }),
    /succeeded and holds 40000/,
  ],
])("the judge reports %s", (_, name, change, said) => {
  expect(judged(name, change).join("; ")).toMatch(said);
});

it("the judge lets a run fail if its provider's whole answer had no result", () => {
  const held = { ...refused, costMicros: 40_000, costBasis: "held", heldMicros: 0 };
  const found = judged("torn", (fate) => ({
    ...ofRun({ ...held, books: { ...fate.run.books, heldMicros: 0, costMicros: 40_000 } })(fate),
    servedAnswer: { status: 200, body: Buffer.from("{}"), isWhole: true },
  }));
  expect(found).toEqual([]);
});

it("an unconfirmed run that can't be decided is reported as a dead end", async () => {
  const person = {
    ...world.person,
    call: async () => ({
      status: 409,
      body: { askable: { canLook: false } },
      headers: new Headers(),
    }),
  };
  const untilState = async () => "unconfirmed";
  const wayOn = await takeWayOn(
    { ...world, untilState, person: person as TornWorld["person"] },
    "",
    records.torn.fate,
  );
  expect(wayOn.wrong).toEqual(["to decide is answered 409, and it is unconfirmed"]);
});

it("a task, a job or an answer at once that no way goes is reported", () => {
  const adapter = { ...openaiCompatible, job: google.job! };
  expect(missingWays(adapter, [picture])).toEqual([
    "chat",
    "speech",
    "transcription",
    "embedding",
    "a job",
  ]);
  expect(missingWays(adapter, [])).toContain("an answer at once");
});

/** Nothing leaves the machine, and its tools have no runs of their own. */
const without = new Set(["builtin", "mcp"]);
it("every kind of connection goes through the torn world", () => {
  const own = kinds.filter(
    ({ kind }) => !without.has(kind) && !presetKinds.some((preset) => preset.kind === kind),
  );
  expect(
    own.filter(({ kind }) => !existsSync(join(import.meta.dirname, `${kind}.test.ts`))),
  ).toEqual([]);
});
