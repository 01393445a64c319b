import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { startDoor } from "../../support/databases/postgres-door.ts";
import { createInstance, testPassword, until } from "../../support/server/instance.ts";
import { openLive } from "../../support/server/live-socket.ts";
import {
  askServer,
  createClient,
  runEnds,
  type ServerClient,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { startTwoServers } from "../../support/server/two-servers.ts";
import { createStudio, textOfMessage } from "../../support/studio/studio.ts";

/** 15 s by reliability.md, with room for a busy machine. */
const boundMs = 20_000;

/** One person's socket and event stream at a server. */
async function watchBoth(client: ServerClient, runId: string) {
  const socket = await openLive(client.url, client.cookie);
  onTestFinished(socket.drop);
  socket.subscribe(`run:${runId}`, 0);
  const sse = watchRun(client, runId);
  onTestFinished(sse.stop);
  const texts = () => [socket.text(runId), shownText(sse.events)];
  return { socket, sse, texts };
}

it("words are shown at the other server before they are written, to early and late viewers; after kill -9 the written words are saved", async () => {
  const two = await startTwoServers({ failpoints: "log.write#2=hang;answer.whole=hang" });
  onTestFinished(two.stop);
  const long = ` ${"🙂é\\".repeat(3_000)}`;
  two.openai.script({ text: ["one", long, " three"], gate: { name: "second", at: 1 } });
  const { run } = await askServer(two.here, two.chat, "tell the other");
  await two.openai.reached("second");
  const { mine: dying, other } = await two.sidesOf(run.id);
  const written = async () =>
    shownText(
      (
        await two.query<{ type: string; payload: string }>(
          "select type, payload from run_event where run_id = $1 order by seq",
          [run.id],
        )
      ).map(({ type, payload }) => ({ id: 0, type, payload: JSON.parse(payload) })),
    );
  const early = await watchBoth(other, run.id);
  await until("the first word is written", async () => (await written()) === "one");
  await until("and shown", async () => early.texts().every((text) => text === "one"));
  two.openai.open("second");
  const whole = `one${long} three`;
  const isWhole = (texts: string[]) => texts.every((text) => text === whole);
  await until("all is shown that was said", async () => isWhole(early.texts()));
  const late = await watchBoth(other, run.id);
  await until("also to who comes in the middle", async () => isWhole(late.texts()));
  expect(await written()).toBe("one");

  await dying.kill9();
  const cut = await runEnds(other, run.id, 2 * boundMs);
  expect(cut.run).toMatchObject({ state: "failed", error: { code: "provider_interrupted" } });
  for (const { socket, sse } of [early, late]) {
    await until(
      "the end is shown",
      async () => socket.events(run.id).at(-1)?.type === "run-settled",
    );
    await sse.ended;
    // The text returns to the saved part.
    expect(shownText(socket.events(run.id))).toBe("one");
    expect(sse.events.filter(({ type }) => type === "run-started")).toHaveLength(1);
  }
  expect(
    two.openai.posts.filter((post) => JSON.stringify(post.body).includes("tell the other")),
  ).toHaveLength(1);
});

/**
 * A server that runs work, and one that only displays it; `throughDoor` makes its path to the
 * database closable.
 */
async function startPair(throughDoor = false) {
  const database = await createTestDatabase("postgres");
  const studio = await createStudio(database, { endsWithTest: true });
  const door = throughDoor ? await startDoor(database.databaseUrl!) : undefined;
  const shown: TestDatabase = { ...database, databaseUrl: door?.url ?? database.databaseUrl };
  const there = await createInstance(shown, { endsWithTest: true, role: "web" });
  const url = await there.listen();
  return {
    studio,
    door,
    url,
    /** A person signed in at the displaying server. */
    at: async (email: string) =>
      createClient(url, await there.signIn(email, testPassword), studio.person.projectId),
  };
}

it("a server that receives nothing for a while then shows all words, each once", async () => {
  const { studio, door, at } = await startPair(true);
  const text = ["one", " two", " three", " four"];
  studio.openai.script({ text, betweenMs: 20, gate: { name: "last", at: 3 } });
  const { run, answer } = await studio.ask("tell the other");
  const { socket, texts } = await watchBoth(await at("ada@example.org"), run.id);
  await until("it hears", async () => texts().every((shown) => shown.startsWith("one")));
  door!.shut();
  await studio.openai.reached("last");
  await until("it tries again", async () => door!.waiting() > 0);
  door!.open();
  door!.refuse();
  await until("it shows what it missed", async () =>
    texts().every((shown) => shown === "one two three"),
  );
  studio.openai.open("last");
  await studio.ended(run.id);
  await until("the end", async () => socket.events(run.id).at(-1)?.type === "run-settled");
  const whole = textOfMessage(await studio.messageOf(answer.id));
  expect(whole).toBe(text.join(""));
  await until("all is shown", async () => texts().every((shown) => shown === whole));
  expect(shownText(socket.events(run.id))).toBe(whole);
});

it("another server's words reach nobody who may not, or may no longer, see the run", async () => {
  const { studio, at } = await startPair();
  const { instance, person } = studio;
  const guest = await instance.createPerson("guest@example.org");
  await instance.createPerson("stranger@example.org");
  await instance.store.db
    .insertInto("project_member")
    .values({
      project_id: person.projectId,
      user_id: guest.user.id,
      role: "viewer",
      created_at: 1,
      name: "",
    })
    .execute();
  studio.openai.script({ text: ["one", " two", " three"], gate: { name: "secret", at: 1 } });
  const { run, conversationId } = await studio.ask("for the project");
  const shared = await person.call("updateConversation", {
    params: { conversationId },
    body: { visibility: "project" },
  });
  expect(shared.status).toBe(200);
  const [mine, seen, strange] = await Promise.all(
    ["ada", "guest", "stranger"].map(async (name) =>
      watchBoth(await at(`${name}@example.org`), run.id),
    ),
  );
  await until("who may see it does", async () =>
    [...mine!.texts(), ...seen!.texts()].every((text) => text === "one"),
  );
  const isGone = (who: typeof seen) => who!.socket.frames.some((frame) => "gone" in frame);
  await until("the stranger is refused", async () => isGone(strange));
  await person.call("removeMember", {
    params: { projectId: person.projectId, userId: guest.user.id },
  });
  await until("the guest's rights are gone there", async () => isGone(seen));
  await seen!.sse.ended;
  studio.openai.open("secret");
  await studio.ended(run.id);
  await until("the author sees all", async () =>
    mine!.texts().every((text) => text === "one two three"),
  );
  expect(seen!.texts()).toEqual(["one", "one"]);
  expect(strange!.texts()).toEqual(["", ""]);
  expect(strange!.socket.frames.some((frame) => "words" in frame)).toBe(false);
});

it("a program gets the arguments of a call as they are written, from a server that runs no work", async () => {
  const { studio, url } = await startPair();
  const input = { path: "é 🙂", text: "x".repeat(2_000) };
  studio.openai.script({
    text: [],
    toolCalls: [{ name: "write", input }],
    gate: { name: "call", at: "call" },
  });
  const { token } = await studio.instance.createKey(studio.person);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "openai-compatible/sim-chat",
      messages: [{ role: "user", content: "Write it." }],
      tools: [{ type: "function", function: { name: "write", parameters: { type: "object" } } }],
      stream: true,
    }),
  });
  const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let stream = "";
  const read = async (): Promise<boolean> => {
    const { value, done } = await body.read();
    stream += value ?? "";
    return !done;
  };
  const written = () =>
    [...stream.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)]
      .map(([, text]) => JSON.parse(text!) as string)
      .join("");
  while (written() === "") expect(await read()).toBe(true);
  expect(written().length).toBeLessThan(JSON.stringify(input).length);
  expect(stream).not.toContain('"finish_reason":"tool_calls"');
  studio.openai.open("call");
  while (await read());
  expect(written()).toBe(JSON.stringify(input));
  expect(stream).toContain('"finish_reason":"tool_calls"');
});
