import { expect, it } from "vitest";
import type { Connection } from "#contract/entities.ts";
import { type Adapter, ProviderError } from "#providers/adapter.ts";
import { openaiCompatible } from "#providers/openai-compatible/adapter.ts";
import { forEachDatabase } from "../support/databases.ts";
import { createInstance } from "../support/instance.ts";

const address = "https://api.example.org/inside/v1";

forEachDatabase((_, create) => {
  it("how a connection is reached, and what its service said of it, is read by who manages it alone", async () => {
    let fails = false;
    const breaking: Adapter = {
      ...openaiCompatible,
      async check() {
        if (!fails) return { message: "It answers." };
        throw new ProviderError("provider_unreachable", "no", { message: "It has ended." }, { aside: "It wrote: canary" });
      },
      async *models() {},
    };
    const instance = await createInstance(await create(), { adapters: [breaking], endsWithTest: true });
    const admin = await instance.createPerson("ada@example.org", { role: "owner" });
    const member = await instance.createPerson("eve@example.org");
    const readers = [
      member,
      await instance.createKey(member, { scopes: ["models:read"] }),
      await instance.createKey(admin, { scopes: ["models:read"] }),
    ];
    const wish = { kind: "openai-compatible", name: "Ours", scope: "instance" as const, userId: admin.user.id };
    const made = await instance.engine.connect({ ...wish, values: { api: address, key: "k" } });
    const params = { connectionId: made.connection.id };
    const read = async (who: Pick<typeof admin, "call">) => {
      const { connections } = (await who.call<{ connections: Connection[] }>("listConnections")).body;
      const { connection } = (await who.call<{ connection: Connection }>("getConnection", { params })).body;
      return [connections.find(({ id }) => id === connection.id)!, connection];
    };

    fails = true;
    const checked = await admin.call("checkConnection", { params });
    expect(checked.body).toMatchObject({ code: "provider_unreachable", detail: "It has ended. It wrote: canary" });

    for (const seen of await read(admin)) {
      expect(seen).toMatchObject({ baseUrls: { api: address }, status: "failing", statusDetail: "It has ended." });
      expect(Object.keys(seen.options)).not.toEqual([]);
    }
    for (const who of readers)
      for (const seen of await read(who))
        expect(seen).toMatchObject({ name: "Ours", status: "failing", baseUrls: {}, options: {}, statusDetail: null });
  });
});
