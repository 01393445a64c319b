import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bedrock } from "#providers/services/bedrock/adapter.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { createInstance } from "../support/server/instance.ts";
import { startBedrockWithBucket } from "../support/services/bedrock.ts";

const canary = "canary-3f9c1a77e0b24d55";

function everyFile(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

it("a stored key is nowhere in the clear: not in the database, its WAL, answers, events, errors or logs", async () => {
  const simulator = await startOpenAiCompatible({ key: canary });
  const database = await createTestDatabase("sqlite");
  const logged: string[] = [];
  const log = (facts: Record<string, unknown>, message: string): void =>
    void logged.push(JSON.stringify([facts, message]));
  const instance = await createInstance(database, {
    adapters: [openaiCompatible],
    log: { info: log, warn: log, error: log },
  });
  const shown: string[] = [];
  try {
    const owner = await instance.createPerson("owner@example.org", { role: "owner" });
    const keep = async (answer: Promise<{ body: unknown; status: number }>) => {
      const { body, status } = await answer;
      shown.push(JSON.stringify(body));
      return { body: body as Record<string, Record<string, string>>, status };
    };
    const made = await keep(
      owner.call("createConnection", {
        body: {
          kind: "openai-compatible",
          name: "Sim",
          scope: "instance",
          values: { api: simulator.url, key: canary },
        },
      }),
    );
    expect(made.status).toBe(200);
    const connectionId = made.body.connection!.id!;
    await keep(owner.call("listConnections"));
    await keep(owner.call("checkConnection", { params: { connectionId } }));
    // A server that echoes its request must not return the key to anyone.
    simulator.script({
      fault: {
        kind: "status",
        status: 401,
        body: {
          error: {
            message: `Incorrect API key provided: ${canary}`,
            type: "invalid_request_error",
          },
        },
      },
    });
    const conversation = await keep(
      owner.call("createConversation", { body: { projectId: owner.projectId } }),
    );
    const said = await keep(
      owner.call("sendMessage", {
        params: { conversationId: conversation.body.conversation!.id! },
        body: {
          parentId: null,
          text: "hello",
          ask: { model: { connectionId, modelId: "sim-chat" } },
        },
      }),
    );
    await keep(owner.call("listRunEvents", { params: { runId: said.body.run!.id! } }));
    await keep(
      owner.call("createConnection", {
        body: {
          kind: "openai-compatible",
          name: "Wrong",
          scope: "instance",
          values: { api: simulator.url, key: `${canary}-wrong` },
        },
      }),
    );

    const changed = await keep(
      owner.call("updateConnection", {
        params: { connectionId },
        body: { values: { api: "http://127.0.0.1:9/v1" } },
      }),
    );
    expect(changed.body.connection!.hasSecret, "a changed address clears the stored key").toBe(
      false,
    );
  } finally {
    await instance.close();
    await simulator.stop();
  }
  expect(shown.join("\n")).not.toContain(canary);
  expect(logged.join("\n")).not.toContain(canary);
  const files = everyFile(database.dataFolder);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect([file, readFileSync(file).includes(canary)]).toEqual([file, false]);
});

it("no part of a multi-secret key is anywhere in the clear, although the service prints what it was sent", async () => {
  const token = "session-canary-8d0a41f6b2";
  const { bedrock: simulator, values } = await startBedrockWithBucket({ sessionToken: token });
  const database = await createTestDatabase("sqlite");
  const logged: string[] = [];
  const log = (facts: Record<string, unknown>, message: string): void =>
    void logged.push(JSON.stringify([facts, message]));
  const instance = await createInstance(database, {
    adapters: [bedrock],
    log: { info: log, warn: log, error: log },
  });
  const shown: string[] = [];
  const secrets = [values.secretAccessKey, `${canary}-wrong`, token];
  try {
    const owner = await instance.createPerson("owner@example.org", { role: "owner" });
    const keep = async (answer: Promise<{ body: unknown; status: number }>) => {
      const { body, status } = await answer;
      shown.push(JSON.stringify(body));
      return { body: body as Record<string, Record<string, string>>, status };
    };
    const connect = (given: object) =>
      keep(
        owner.call("createConnection", {
          body: {
            kind: "bedrock",
            name: "Sim",
            scope: "instance",
            values: { ...values, ...given },
          },
        }),
      );
    const made = await connect({ sessionToken: token });
    expect(made.status).toBe(200);
    // A wrong key, for which AWS prints the whole request that it would have signed.
    expect(
      (await connect({ sessionToken: token, secretAccessKey: `${canary}-wrong` })).status,
    ).not.toBe(200);
    await keep(owner.call("listConnections"));
    const conversation = await keep(
      owner.call("createConversation", { body: { projectId: owner.projectId } }),
    );
    const model = { connectionId: made.body.connection!.id!, modelId: "amazon.nova-pro-v1:0" };
    const said = await keep(
      owner.call("sendMessage", {
        params: { conversationId: conversation.body.conversation!.id! },
        body: { parentId: null, text: "hello", ask: { model } },
      }),
    );
    await keep(owner.call("listRunEvents", { params: { runId: said.body.run!.id! } }));
    expect(simulator.posts.length).toBeLessThanOrEqual(1);
  } finally {
    await instance.close();
  }
  const files = everyFile(database.dataFolder);
  expect(files.length).toBeGreaterThan(0);
  for (const secret of secrets) {
    expect(shown.join("\n")).not.toContain(secret);
    expect(logged.join("\n")).not.toContain(secret);
    for (const file of files)
      expect([file, readFileSync(file).includes(secret)]).toEqual([file, false]);
  }
});
