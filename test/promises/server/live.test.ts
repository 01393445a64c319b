import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { doChores } from "#engine/recover/chores.ts";
import { createTestDatabase, forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { openLive } from "../../support/server/live-socket.ts";
import { createClient, shownText, watchRun } from "../../support/server/server-client.ts";
import { createStudio, type Studio, textOfMessage } from "../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  let url: string;
  beforeAll(async () => {
    studio = await createStudio(await create());
    url = await studio.instance.listen();
  });
  afterAll(() => studio.close());

  const open = async (who = studio.person, headers: Record<string, string> = {}) => {
    const socket = await openLive(url, who.cookie, headers);
    onTestFinished(socket.drop);
    return socket;
  };
  const stream = (runId: string, after = 0, who = studio.person) => {
    const watch = watchRun(createClient(url, who.cookie, who.projectId), runId, after);
    onTestFinished(watch.stop);
    return watch;
  };
  const seqs = (events: readonly { seq: number }[]) => events.map((event) => event.seq);

  it("a replay from any cursor is gapless and the same events every time, over the socket and over the event stream", async () => {
    studio.openai.script({ tokens: 40, betweenMs: 12 });
    const { run } = await studio.ask("count");
    await studio.ended(run.id);
    const all = await studio.events(run.id);
    expect(all.length).toBeGreaterThan(4);
    for (const after of [0, 1, 3, all.length - 1]) {
      const socket = await open();
      socket.subscribe(`run:${run.id}`, after);
      await until(
        "it has come to the end",
        async () => socket.events(run.id).at(-1)?.seq === all.at(-1)!.seq,
      );
      expect(socket.events(run.id)).toEqual(all.slice(after));
      const sse = stream(run.id, after);
      await sse.ended;
      expect(sse.events.map(({ id, type, payload }) => ({ id, type, payload }))).toEqual(
        all.slice(after).map(({ seq, type, payload }) => ({ id: seq, type, payload })),
      );
    }
  });

  it("a socket that drops in mid-answer gets the rest when it reconnects: no character twice, none lost", async () => {
    studio.openai.script({ tokens: 30, betweenMs: 5, gate: { name: "middle", at: 15 } });
    const { run, answer } = await studio.ask("drop me");
    const first = await open();
    first.subscribe(`run:${run.id}`, 0);
    const before = stream(run.id);
    await studio.openai.reached("middle");
    await until(
      "half of it is shown",
      async () => shownText(first.events(run.id)).includes("word14") && before.events.length > 3,
    );
    first.drop();
    before.stop();
    studio.openai.open("middle");
    const second = await open();
    second.subscribe(`run:${run.id}`, first.events(run.id).at(-1)!.seq);
    const after = stream(run.id, before.events.at(-1)!.id);
    await studio.ended(run.id);
    await after.ended;
    await until(
      "the rest is there",
      async () => second.events(run.id).at(-1)?.type === "run-settled",
    );
    const whole = textOfMessage(await studio.messageOf(answer.id));
    const bySocket = [...first.events(run.id), ...second.events(run.id)];
    expect(shownText(bySocket)).toBe(whole);
    expect(seqs(bySocket)).toEqual(bySocket.map((_event, i) => i + 1));
    expect(shownText([...before.events, ...after.events])).toBe(whole);
  });

  it("words are shown before they are in the log, once to each reader, even one who arrives in between", async () => {
    studio.openai.script({ tokens: 30, betweenMs: 5, gate: { name: "middle", at: 15 } });
    const { run, answer } = await studio.ask("tell me");
    const first = await open();
    first.subscribe(`run:${run.id}`, 0);
    const sse = stream(run.id);
    await studio.openai.reached("middle");
    const second = await open();
    second.subscribe(`run:${run.id}`, 0);
    const lateSse = stream(run.id);
    const isShown = (text: string) => text.includes("word14");
    await until(
      "all of them show half of it",
      async () =>
        isShown(first.text(run.id)) &&
        isShown(second.text(run.id)) &&
        isShown(shownText(sse.events)) &&
        isShown(shownText(lateSse.events)),
    );
    studio.openai.open("middle");
    await studio.ended(run.id);
    await Promise.all([sse.ended, lateSse.ended]);
    await until("the end is told", async () =>
      [first, second].every((socket) => socket.events(run.id).at(-1)?.type === "run-settled"),
    );
    const whole = textOfMessage(await studio.messageOf(answer.id));
    for (const text of [first.text(run.id), second.text(run.id)]) expect(text).toBe(whole);
    expect(first.frames.filter((frame) => "words" in frame).length).toBeGreaterThan(1);
    for (const { events } of [sse, lateSse]) {
      // A program that simply concatenates them gets the same text.
      const texts = events.map(({ type, payload }) => (type === "text-delta" ? payload.text : ""));
      expect(texts.join("")).toBe(whole);
    }
    expect(sse.events.some(({ id, type }) => Number.isNaN(id) && type === "text-delta")).toBe(true);
  });

  it("a notice is serialized once for all sockets that get it, and not for people who may not see it", async () => {
    const { person, instance } = studio;
    const topic = `project:${person.projectId}`;
    const sockets = await Promise.all(Array.from({ length: 5 }, () => open()));
    for (const socket of sockets) socket.subscribe(topic, -1);
    const heard = (socket: (typeof sockets)[number]) =>
      socket.frames.filter((frame) => "topic" in frame && frame.topic === topic);
    await until("all watch", async () => sockets.every((socket) => heard(socket).length === 1));
    const stringify = vi.spyOn(JSON, "stringify");
    onTestFinished(() => stringify.mockRestore());
    await instance.commit(async ({ outbox, at }) => {
      const notice = { projectId: person.projectId, kind: "asset", id: "a", at } as const;
      outbox.changes.push({ ...notice, userId: null }, { ...notice, userId: "another" });
    });
    await instance.commit(async ({ outbox, at }) => {
      outbox.changes.push({
        projectId: person.projectId,
        kind: "asset",
        id: "b",
        at,
        userId: null,
      });
    });
    await until("all were told", async () => sockets.every((socket) => heard(socket).length === 3));
    const written = stringify.mock.calls.filter(
      ([frame]) => (frame as { topic?: string } | null)?.topic === topic,
    );
    // Each socket's first is its own: data that it may not see is left out.
    expect(written).toHaveLength(5 + 1);
    for (const socket of sockets)
      expect(heard(socket).slice(1)).toMatchObject([
        { changes: [{ id: "a" }] },
        { changes: [{ id: "b" }] },
      ]);
  });

  it("a topic requested twice at once is sent once; requested again, from its cursor", async () => {
    const { run } = await studio.ask("once only");
    await studio.ended(run.id);
    const all = seqs(await studio.events(run.id));
    const socket = await open();
    socket.subscribe(`run:${run.id}`, 0, { times: 3 });
    await until("it came", async () => socket.events(run.id).at(-1)?.type === "run-settled");
    socket.subscribe(`run:${run.id}`, all.length - 1);
    await until("the end came again", async () => socket.events(run.id).length > all.length);
    const other = await studio.ask("afterwards");
    socket.subscribe(`run:${other.run.id}`, 0);
    await until(
      "another one came",
      async () => socket.events(other.run.id).at(-1)?.type === "run-settled",
    );
    expect(seqs(socket.events(run.id))).toEqual([...all, all.length]);
  });

  it("an answer of 4 MB in one line reaches a reader whole, in events of bounded size", async () => {
    const line = "0123456789abcdef".repeat(256 * 1024);
    studio.openai.script({ text: [line] });
    const { run } = await studio.ask("much at once");
    const socket = await open();
    socket.subscribe(`run:${run.id}`, 0);
    await studio.ended(run.id);
    await until("all of it came", async () => socket.events(run.id).at(-1)?.type === "run-settled");
    expect(shownText(socket.events(run.id)) === line).toBe(true);
    expect(
      Math.max(
        ...(await studio.events(run.id)).map((event) => JSON.stringify(event.payload).length),
      ),
    ).toBeLessThan(64 * 1024);
  });

  it("a person removed from a project is informed that it is gone and gets nothing more, over both the socket and the event stream", async () => {
    const guest = await studio.instance.createPerson("guest@example.org");
    const member = { projectId: studio.person.projectId };
    await studio.instance.store.db
      .insertInto("project_member")
      .values({
        project_id: member.projectId,
        user_id: guest.user.id,
        role: "viewer",
        created_at: 1,
        name: "",
      })
      .execute();
    const run = await studio.make("seen by a guest [sim:hold-queue]");
    await studio.inState(run.id, "submitted");
    const socket = await open(guest);
    socket.subscribe(`run:${run.id}`, 0);
    socket.subscribe(`project:${member.projectId}`, -1);
    const sse = stream(run.id, 0, guest);
    await until(
      "the guest sees it",
      async () => socket.events(run.id).length > 2 && sse.events.length > 2,
    );
    const removed = await studio.person.call("removeMember", {
      params: { projectId: member.projectId, userId: guest.user.id },
    });
    expect(removed.status).toBe(200);
    await until(
      "both topics are gone",
      async () => socket.frames.filter((frame) => "gone" in frame).length === 2,
    );
    await sse.ended;
    const seen = [socket.events(run.id).length, sse.events.length];
    studio.fal.release("seen by a guest");
    await studio.ended(run.id);
    socket.subscribe(`run:${run.id}`, 0);
    await until(
      "it is refused again",
      async () => socket.frames.filter((frame) => "gone" in frame).length === 3,
    );
    expect([socket.events(run.id).length, sse.events.length]).toEqual(seen);
  });

  it("a tab that read its lists before its socket opened is told to reload them only if something changed since", async () => {
    const run = await studio.make("made between the list and the socket");
    await studio.ended(run.id);
    await studio.instance.store.db
      .updateTable("change")
      .set((e) => ({ at: e("at", "-", 60_000) }))
      .execute();
    const socket = await open();
    const answers = () => socket.frames.filter((frame) => "at" in frame);
    for (const agoMs of [undefined, 30_000, 120_000]) {
      const before = answers().length;
      socket.subscribe(`project:${studio.person.projectId}`, -1, { agoMs });
      await until("it has the feed's end", async () => answers().length === before + 1);
    }
    expect(answers().map(({ missed }) => missed)).toEqual([false, false, true]);
  });

  it("an ended session closes its sockets with 4001 and its event streams", async () => {
    const email = "leaver@example.org";
    const leaver = await studio.instance.createPerson(email);
    const run = await studio.make("watched by a leaver [sim:hold-queue]", { who: leaver });
    await studio.inState(run.id, "submitted");
    const socket = await open(leaver);
    const sse = stream(run.id, 0, leaver);
    await until("they watch", async () => sse.events.length > 0);
    expect((await leaver.call("signOut")).status).toBe(200);
    expect(await socket.closed).toBe(4001);
    await sse.ended;
    studio.fal.release("watched by a leaver");
    await studio.ended(run.id);
  });

  it("another site's page and a person without a session get no socket", async () => {
    await expect(
      openLive(url, studio.person.cookie, { origin: "https://evil.example" }),
    ).rejects.toThrow("refused: 401");
    await expect(openLive(url, "")).rejects.toThrow("refused: 401");
    await expect(open(studio.person, { origin: url })).resolves.toBeDefined();
  });

  it("an hour after the end a reader with an old cursor gets one snapshot with the whole text", async () => {
    const { run, answer } = await studio.ask("long ago");
    const ended = await studio.ended(run.id);
    const { engineDeps } = studio.instance;
    await doChores({
      ...engineDeps,
      clock: { ...engineDeps.clock, now: () => ended.finishedAt! + 61 * 60_000 },
    });
    expect(shownText(await studio.events(run.id))).toBe("");
    const socket = await open();
    socket.subscribe(`run:${run.id}`, 1);
    await until("the snapshot came", async () => socket.frames.length > 0);
    expect(socket.frames).toMatchObject([
      { snapshot: { seq: ended.lastSeq, run: { id: run.id, state: "succeeded" } } },
    ]);
    const sse = stream(run.id, 1);
    await sse.ended;
    expect(sse.events).toMatchObject([{ id: ended.lastSeq, type: "snapshot" }]);
    const { parts } = sse.events[0]!.payload as { parts: never[] };
    expect(textOfMessage({ parts })).toBe(textOfMessage(await studio.messageOf(answer.id)));
  });
});

it("a client that doesn't read is closed with its own code at 1 MB waiting, and resumes gapless", async () => {
  const waited: number[] = [];
  const quiet = () => undefined;
  const log = {
    info: (facts: Record<string, unknown>, message: string) => {
      if (message.includes("does not read")) waited.push(Number(facts.bytes));
    },
    warn: quiet,
    error: quiet,
  };
  const studio = await createStudio(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    instance: { log },
  });
  const url = await studio.instance.listen(200);
  studio.openai.script({
    text: Array.from({ length: 600 }, (_item, i) => `${i} ${"x".repeat(25_000)}`),
  });
  const { run } = await studio.ask("a flood");
  const slow = await openLive(url, studio.person.cookie);
  slow.pause();
  slow.subscribe(`run:${run.id}`, 0);
  // Read at once: the server cuts off a reader that also leaves the closing frame unread.
  await until("the server has closed it", async () => waited.length > 0);
  expect(waited[0]).toBeLessThanOrEqual(1024 ** 2);
  slow.resume();
  expect(await slow.closed).toBe(4008);
  const seen = slow.events(run.id);
  await studio.ended(run.id);
  const all = await studio.events(run.id);
  expect(seen.length).toBeLessThan(all.length);
  const again = await openLive(url, studio.person.cookie);
  again.subscribe(`run:${run.id}`, seen.at(-1)!.seq);
  await until("the rest came", async () => again.events(run.id).at(-1)?.type === "run-settled");
  expect([...seen, ...again.events(run.id)]).toEqual(all);
});
