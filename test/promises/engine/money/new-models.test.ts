import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { isNewModel, newModelDays } from "#contract/filters/model-filters.ts";
import { type Adapter, type ModelFacts, ProviderError } from "#providers/adapter.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createInstance, createTestClock } from "../../../support/server/instance.ts";

const dayMs = 86_400_000;

/** A service whose list the test writes: one page per model. An error as a page ends it. */
function createShelf() {
  const shelf: { pages: (Pick<ModelFacts, "id" | "releasedAt"> | ProviderError)[] } = { pages: [] };
  const adapter: Adapter = {
    kind: "shelf",
    name: "Shelf",
    summary: "",
    group: "media",
    docs: "",
    fields: [{ name: "api", label: "Address", kind: "url", required: true, address: "api" }],
    addresses: { api: "http://127.0.0.1:1/" },
    tasks: ["chat"],
    check: async () => ({ message: "" }),
    async *models() {
      for (const page of shelf.pages) {
        if (page instanceof ProviderError) throw page;
        yield [{ ...blank, name: page.id, ...page }];
      }
    },
  };
  return { shelf, adapter };
}
const blank: Omit<ModelFacts, "id" | "name"> = {
  tasks: ["chat"],
  inputModalities: ["text"],
  outputModalities: ["text"],
  inputSchema: null,
  capabilities: {},
  limits: {},
  price: null,
  status: "active",
};

forEachDatabase((_, create) => {
  async function build() {
    const clock = createTestClock();
    const { shelf, adapter } = createShelf();
    const instance = await createInstance(await create(), {
      adapters: [adapter],
      clock,
      endsWithTest: true,
    });
    const person = await instance.createPerson("ada@example.org", { role: "owner" });
    const { projectId } = person;
    const list = async (query: Record<string, string> = {}): Promise<Model[]> =>
      (await person.call<{ models: Model[] }>("listModels", { query: { projectId, ...query } }))
        .body.models;
    /** The marked models; the filter always finds the same ones. */
    const news = async (): Promise<string[]> => {
      const marked = (await list())
        .filter((model) => isNewModel(model, clock.now()))
        .map(({ modelId }) => modelId);
      expect((await list({ new: "true" })).map(({ modelId }) => modelId)).toEqual(marked);
      return marked;
    };
    const connect = async (): Promise<string> => {
      const body = {
        kind: "shelf",
        name: "Shelf",
        scope: "instance",
        values: { api: "http://127.0.0.1:1/" },
      };
      return (await person.call<{ connection: { id: string } }>("createConnection", { body })).body
        .connection.id;
    };
    const read = (connectionId: string) =>
      person.call("checkConnection", { params: { connectionId } });
    return { clock, shelf, person, list, news, connect, read };
  }

  it("models added to a known list are new for a while, and none are on the day of connecting", async () => {
    const { clock, shelf, news, list, connect, read } = await build();
    shelf.pages = [{ id: "a" }, { id: "b" }];
    const connectionId = await connect();
    await read(connectionId);
    expect(await news()).toEqual([]);
    clock.advance(dayMs);
    shelf.pages = [{ id: "a" }, { id: "b" }, { id: "c" }];
    await read(connectionId);
    expect(await news()).toEqual(["c"]);
    clock.advance(dayMs);
    await read(connectionId);
    clock.advance((newModelDays - 1) * dayMs);
    expect(await news()).toEqual(["c"]);
    expect((await list({ order: "newest" })).map(({ modelId }) => modelId)).toEqual([
      "c",
      "a",
      "b",
    ]);
    clock.advance(1);
    expect(await news()).toEqual([]);
  });

  it("the provider's date overrides the day of joining, even on the first list, and a future date doesn't count yet", async () => {
    const { clock, shelf, news, connect, read } = await build();
    const now = clock.now();
    shelf.pages = [
      { id: "fresh", releasedAt: now - dayMs },
      { id: "old", releasedAt: now - 60 * dayMs },
      { id: "soon", releasedAt: now + dayMs },
    ];
    const connectionId = await connect();
    await read(connectionId);
    expect(await news()).toEqual(["fresh"]);
    clock.advance(2 * dayMs);
    shelf.pages.push({ id: "late", releasedAt: now - 60 * dayMs });
    await read(connectionId);
    expect(await news()).toEqual(["fresh", "soon"]);
  });

  it("a connection with a new address starts a first list, which ends when it was read to its end", async () => {
    const { clock, shelf, person, list, news, connect, read } = await build();
    shelf.pages = [{ id: "a" }];
    const connectionId = await connect();
    await read(connectionId);
    clock.advance(dayMs);
    shelf.pages = [{ id: "x" }, new ProviderError("provider_unreachable", "no")];
    const body = { values: { api: "http://127.0.0.1:2/" } };
    expect((await person.call("updateConnection", { params: { connectionId }, body })).status).toBe(
      200,
    );
    await read(connectionId);
    shelf.pages = [{ id: "x" }, { id: "y" }];
    clock.advance(dayMs);
    await read(connectionId);
    expect((await list()).map(({ modelId }) => modelId)).toEqual(["x", "y"]);
    expect(await news()).toEqual([]);
    shelf.pages.push({ id: "z" });
    clock.advance(dayMs);
    await read(connectionId);
    expect(await news()).toEqual(["z"]);
  });
});
