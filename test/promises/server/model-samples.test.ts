import { expect, it } from "vitest";
import type { Model } from "#contract/entities.ts";
import { createModelSamples } from "#engine/ingest/model-samples.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { startFal } from "../../simulators/fal.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { createInstance } from "../../support/server/instance.ts";

onSqlite((create) => {
  it("a provider's sample is served by our server, once, as the type of its bytes", async () => {
    const simulator = await startFal();
    const instance = await createInstance(await create(), { adapters: [fal], endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const other = await instance.createPerson("bo@example.org");
    const made = await owner.call<{ connection: { id: string } }>("createConnection", {
      body: { kind: "fal", name: "fal", scope: "instance", values: simulator.values },
    });
    expect(made.status).toBe(200);
    const params = { connectionId: made.body.connection.id };
    const sampleOf = (person: typeof owner, model: string, projectId = person.projectId) =>
      person.call("getModelSample", { params, query: { projectId, model } });
    const { body } = await other.call<{ models: Model[] }>("listModels", {
      query: { projectId: other.projectId, sampled: "true" },
    });
    expect(body.models.map(({ modelId }) => modelId)).toContain("sim/flux/dev");

    const asked = () =>
      simulator.ledger.requests.filter((line) => line.includes("/thumbnails/")).length;
    for (const person of [owner, other]) {
      const answer = await sampleOf(person, "sim/flux/dev");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("image/webp");
      expect(answer.headers.get("content-security-policy")).toContain("sandbox");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(asked(), "the second is answered from memory").toBe(1);
    expect((await sampleOf(owner, "acme/ideogram/v3")).status, "a page is no picture").toBe(404);
    expect((await sampleOf(owner, "acme/ideogram/v3")).status).toBe(404);
    expect(asked(), "nor is what failed asked for again at once").toBe(2);
    expect((await sampleOf(other, "sim/flux/dev", owner.projectId)).status).toBe(404);
    await simulator.stop();
  });

  it("a sample at a private address is fetched only where an admin stored that address", async () => {
    const simulator = await startFal();
    const instance = await createInstance(await create(), { adapters: [fal], endsWithTest: true });
    const owner = await instance.createPerson("ada@example.org", { role: "owner" });
    const made = await owner.call<{ connection: { id: string } }>("createConnection", {
      body: { kind: "fal", name: "fal", scope: "instance", values: simulator.values },
    });
    const { connection } = made.body;
    const sealed = (await getConnection(instance.store.read, connection.id))!;
    const samples = createModelSamples(instance.engineDeps);
    const url = `${simulator.url}/thumbnails/sim%2Fflux%2Fdev`;
    expect((await samples.get(sealed, url))?.mime).toBe("image/webp");
    const personal = { ...sealed, id: "personal", scope: "user" as const, scopeId: owner.user.id };
    expect(await samples.get(personal, url)).toBeUndefined();
    await simulator.stop();
  });
});
