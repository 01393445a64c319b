import { once } from "node:events";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { limits } from "#contract/limits.ts";
import type { ServerFrame } from "#contract/live.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { insertMember, insertProject } from "#store/people/projects.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance, until } from "../support/server/instance.ts";

let instance: Instance;
let url: string;
let owner: Caller;
beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("postgres"), { adapters: [builtin] });
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
  url = await instance.listen();
});
afterAll(() => instance.close());

async function open(who = owner) {
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
    headers: { cookie: who.cookie },
  });
  const frames: ServerFrame[] = [];
  ws.on("message", (data) => frames.push(JSON.parse(String(data)) as ServerFrame));
  await once(ws, "open");
  return { ws, frames, say: (frame: object) => ws.send(JSON.stringify(frame)) };
}
const createProject = async (id: string) =>
  instance.commit(({ tx }) =>
    insertProject(tx, { id, name: "p", description: "", ownerId: owner.user.id, at: Date.now() }),
  );

it("unsubscribing right after subscribing ends all messages of the topic", async () => {
  const { ws, frames, say } = await open();
  const topic = `project:${owner.projectId}`;
  const other = uuid();
  await createProject(other);
  say({ subscribe: [{ topic, after: -1 }] });
  say({ unsubscribe: [topic] });
  say({ subscribe: [{ topic: `project:${other}`, after: -1 }] });
  await until("the other is subscribed", async () =>
    frames.some((frame) => "topic" in frame && frame.topic === `project:${other}`),
  );
  const before = frames.length;
  await owner.call("createConversation", { body: { projectId: owner.projectId } });
  await owner.call("createConversation", { body: { projectId: other } });
  await until("the other's news came", async () =>
    frames.some((frame) => "changes" in frame && frame.topic === `project:${other}`),
  );
  expect(frames.slice(before).filter((frame) => "topic" in frame && frame.topic === topic)).toEqual(
    [],
  );
  ws.terminate();
});

it("a person opens sockets up to the limit; a closed one frees its place, and other people have their own", async () => {
  const greedy = await instance.createPerson("greedy@example.org");
  const sockets = [];
  for (let i = 0; i < limits.socketsPerPerson; i++) sockets.push((await open(greedy)).ws);
  await expect(open(greedy)).rejects.toThrow("Unexpected server response: 429");
  (await open()).ws.terminate();
  sockets.pop()!.close();
  const again = await until("there is a place again", async () =>
    open(greedy).catch(() => undefined),
  );
  for (const ws of [...sockets, again.ws]) ws.terminate();
});

it("a topic over the limit of one socket is reported as gone, not silently dropped", async () => {
  const ids = Array.from({ length: 201 }, () => uuid());
  for (const id of ids) await createProject(id);
  const { ws, frames, say } = await open();
  say({ subscribe: ids.slice(0, 200).map((id) => ({ topic: `project:${id}`, after: -1 })) });
  say({ subscribe: [{ topic: `project:${ids[200]}`, after: -1 }] });
  await until("every topic is answered", async () => frames.length >= 201);
  expect(frames.filter((frame) => "gone" in frame)).toEqual([
    { topic: `project:${ids[200]}`, gone: true },
  ]);
  ws.terminate();
});

it("a flood of unsolicited frames closes the socket", async () => {
  const { ws, say } = await open();
  const closed = once(ws, "close");
  for (let i = 0; i < 2_000; i++)
    say({ subscribe: [{ topic: `project:${owner.projectId}`, after: -1 }] });
  expect((await closed)[0]).toBe(1008);
});

it("a reader of a shared conversation's answer is informed when its author stops sharing it", async () => {
  const member = await instance.createPerson("member@example.org");
  await instance.commit(({ tx }) =>
    insertMember(tx, { projectId: owner.projectId, userId: member.user.id, role: "viewer", at: 0 }),
  );
  const { connections } = (await owner.call("listConnections")).body as {
    connections: { id: string }[];
  };
  const begun = (await owner.call("createConversation", { body: { projectId: owner.projectId } }))
    .body as { conversation: { id: string } };
  const params = { conversationId: begun.conversation.id };
  const ask = { model: { connectionId: connections[0]!.id, modelId: "guide" } };
  const said = (
    await owner.call("sendMessage", { params, body: { parentId: null, text: "hello", ask } })
  ).body as { run: { id: string } };
  const share = (visibility: string) =>
    owner.call("updateConversation", { params, body: { visibility } });
  expect((await share("project")).status).toBe(200);
  const { ws, frames, say } = await open(member);
  const topic = `run:${said.run.id}`;
  say({ subscribe: [{ topic, after: 0 }] });
  await until("the member sees the answer", async () =>
    frames.some((frame) => "events" in frame && frame.topic === topic),
  );
  await share("author");
  await until(
    "the member is told",
    async () => frames.some((frame) => "gone" in frame && frame.topic === topic),
    10_000,
  );
  ws.terminate();
});
