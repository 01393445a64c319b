import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { createInstance, until } from "../support/server/instance.ts";

it("the log of a server error names its route and contains no one-time token", async () => {
  const lines: string[] = [];
  const write = (fields: object, text: string): void =>
    void lines.push(JSON.stringify({ ...fields, text }));
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

it("a caller that disconnects in mid-body isn't a server failure", async () => {
  const failures: string[] = [];
  const heard: string[] = [];
  const fail = (_: object, text: string): void => void failures.push(text);
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    log: { info: (_, text) => void heard.push(text), warn: fail, error: fail },
  });
  const { port } = new URL(await instance.listen());
  const socket = connect(Number(port), "127.0.0.1");
  const head = [
    "POST /api/v1/session HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    "content-length: 1000",
    "",
    "",
  ];
  socket.write(`${head.join("\r\n")}{"email":`, () => socket.destroy());
  await until("it is noted", async () => heard.includes("a request ended before its body did"));
  expect(failures).toEqual([]);
});

it("a provider that refuses a key is a one-line warning, not a server failure with a stack", async () => {
  const failures: string[] = [];
  const warnings: object[] = [];
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    adapters: [openaiCompatible],
    endsWithTest: true,
    log: {
      info: () => undefined,
      warn: (fields) => void warnings.push(fields),
      error: (_, text) => void failures.push(text),
    },
  });
  const provider = await startOpenAiCompatible();
  onTestFinished(() => provider.stop());
  const owner = await instance.createPerson("ada@example.org", { role: "owner" });
  const values = { api: provider.url, key: "wrong" };
  const answer = await owner.call("createConnection", {
    body: { kind: "openai-compatible", name: "Mine", scope: "instance", values },
  });
  expect(answer).toMatchObject({ status: 502, body: { code: "provider_auth" } });
  expect(failures).toEqual([]);
  expect(warnings).toEqual([
    expect.objectContaining({
      id: answer.body.id,
      code: "provider_auth",
      error: expect.not.stringContaining("\n"),
    }),
  ]);
});
