import { expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { estimatePrice } from "../../../components/model/estimate-price.ts";
import { loadArea } from "../../../messages/areas.ts";
import { formatPrice, sumPrices } from "../../../messages/format.ts";
import { costText } from "./batch-text.ts";
import type { ModelOf } from "./use-models-of.ts";

const run = (facts: Partial<Run>) =>
  ({
    state: "succeeded",
    costMicros: null,
    costBasis: null,
    heldMicros: 0,
    input: {},
    ...facts,
  }) as Run;
const paid = run({ costMicros: 40_000, costBasis: "known" });
const free = run({ costMicros: 0, costBasis: "known" });

it("a batch with an unconfirmed picture is not free, unless its model is free", () => {
  expect(costText([free, free], [])).toBe("free");
  expect(costText([free, run({ state: "unconfirmed" })], [])).toBe("price unknown");
  expect(costText([run({ state: "unconfirmed" })], [])).toBe("price unknown");
  expect(costText([free, run({ state: "unconfirmed", isFree: true })], [])).toBe("free");
});

it("a refused run is probably not charged, which is not the same as free", () => {
  expect(costText([run({ state: "failed", costMicros: 0, costBasis: "assumed" })], [])).toBe(
    "probably not charged",
  );
  expect(costText([paid, run({ state: "failed", costMicros: 0, costBasis: "assumed" })], [])).toBe(
    "$0.04",
  );
});

it("with an unknown price, a batch costs at least the known prices", () => {
  expect(costText([paid, paid], [])).toBe("$0.08");
  expect(costText([paid, run({})], [])).toBe("at least $0.04");
  expect(costText([paid, run({ state: "unconfirmed" })], [])).toBe("at least $0.04");
});

it("before anything is reserved, a batch says the price of the button that made it", () => {
  const facts = (micros?: string) => ({
    prices: micros ? [{ unit: "images", micros, source: "test", at: 0 }] : [],
    ceilingMicros: null,
    capabilities: {},
    inputSchema: { type: "object", properties: { num_images: {} } },
  });
  const known = { priced: facts("40000"), unpriced: facts() };
  const models = Object.entries(known).map(
    ([modelId, model]) => ({ connectionId: "here", modelId, model }) as unknown as ModelOf,
  );
  const queued = (modelId: string) => run({ state: "queued", connectionId: "here", modelId });
  const words = (...modelIds: (keyof typeof known)[]) => {
    const ask = { input: {}, variants: 1 };
    const button = sumPrices(modelIds.map((modelId) => estimatePrice(known[modelId], ask)));
    expect(costText(modelIds.map(queued), models)).toBe(formatPrice(button));
    return formatPrice(button);
  };
  expect(words("priced", "priced")).toBe("about $0.08");
  expect(words("priced", "unpriced")).toBe("at least $0.04");
  expect(words("unpriced")).toBe("price unknown");
  // The price isn't loaded yet.
  expect(costText([queued("priced"), queued("another")], models)).toBe("");
});

it("with an unbounded run, a batch reserves at least the known amounts", async () => {
  await loadArea("create");
  const held = run({ state: "running", heldMicros: 40_000 });
  expect(costText([held, held], [])).toBe("$0.08 reserved");
  expect(costText([held, run({ state: "queued" })], [])).toBe("at least $0.04 reserved");
  expect(costText([held, run({ state: "queued", isFree: true })], [])).toBe("$0.04 reserved");
});
