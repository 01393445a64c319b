import { expect, it } from "vitest";
import { createTestDatabase } from "../support/databases.ts";
import { createInstance } from "../support/instance.ts";

it("the log of a request that failed on our side names its route, and holds no one-time token", async () => {
  const lines: string[] = [];
  const write = (fields: object, text: string): void => void lines.push(JSON.stringify({ ...fields, text }));
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    log: { info: write, warn: write, error: write },
  });
  await instance.store.db.schema.dropTable("invite").execute();
  const token = "a-one-time-token-nobody-may-read";
  const answer = await instance.anonymous("getInvite", { params: { token } });
  expect(answer.status).toBe(500);
  const line = lines.find((text) => text.includes(String(answer.body.id)));
  expect(line).toContain("/api/v1/invites/:token");
  expect(lines.join("\n")).not.toContain(token);
});
