import { expect, it, onTestFinished } from "vitest";
import type { Message, ToolResultPart } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { connect } from "#engine/connections/connect.ts";
import { mcp } from "#providers/services/mcp/adapter.ts";
import { listMessages, updateConversation } from "#store/content/conversations.ts";
import { insertMember } from "#store/people/projects.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import { type Mcp, startMcp } from "../../../simulators/mcp.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import {
  type Caller,
  createTestClock,
  type TestClock,
  until,
} from "../../../support/server/instance.ts";
import { createStudio, testAdapters, textOfMessage } from "../../../support/studio/studio.ts";

const key = "tools-key-1234567890";
const addNote = { name: "notebook_add_note", input: { text: "buy milk" } };
const resultsOf = (message: Message): ToolResultPart[] =>
  message.parts.filter((part) => part.type === "tool-result");

onSqlite((create) => {
  async function build(
    options: { allowed?: string[]; tools?: string[]; trust?: "yes"; clock?: TestClock } = {},
  ) {
    const server = await startMcp({ key, lostSession: 400 });
    onTestFinished(() => server.stop());
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: {
        adapters: [...testAdapters, mcp],
        ...(options.clock && { clock: options.clock }),
      },
    });
    const { engine, store, commit } = studio.instance;
    const values = { server: server.url, key, ...(options.trust && { trust: options.trust }) };
    const userId = studio.person.user.id;
    const { connection, message } = await connect(engine.deps, {
      kind: "mcp",
      name: "Notebook",
      scope: "instance",
      userId,
      values,
    });
    expect(message).toBe("notebook 2.1: 4 tools.");
    const conversationId = await studio.startConversation();
    const { allowed = [], tools = ["add_note", "read-notes"] } = options;
    const models = tools.map((modelId) => ({
      connectionId: connection.id,
      modelId,
      allowed: allowed.includes(modelId),
    }));
    await commit((unit) =>
      updateConversation(unit, conversationId, { settings: { tools: { models } } }),
    );
    const messages = () => listMessages(store.db, conversationId);
    const whole = (role: Message["role"], place = 0): Promise<Message> =>
      until(`message ${place} of ${role} is whole`, async () => {
        const found = (await messages()).filter((candidate) => candidate.role === role)[place];
        return found && found.state !== "streaming" && found;
      });
    /** The only requested tool's run, once a condition holds. */
    const called = (is: (run: Awaited<ReturnType<typeof studio.runOf>>) => boolean) =>
      until("the tool's run is there", async () => {
        const tool = (await messages()).findLast(({ role }) => role === "tool");
        const runId = tool && resultsOf(tool)[0]?.runId;
        const run = runId ? await studio.runOf(runId) : undefined;
        return run && is(run) && run;
      });
    const ask = (toolCalls: { name: string; input: object }[] = [addNote]) => {
      studio.openai.script({ text: ["I use it."], toolCalls });
      return studio.ask("do it", "openai", { conversationId });
    };
    return { ...studio, server, connection, conversationId, messages, whole, called, ask };
  }

  it("a tool waits for the person's approval, its call is a free run, and the model reads its result", async () => {
    const studio = await build();
    await studio.ask();
    const waiting = await studio.called(({ waitingFor }) => waitingFor === "asker");
    expect(waiting).toMatchObject({
      task: "tool",
      state: "queued",
      heldMicros: 0,
      input: { text: "buy milk" },
    });
    expect(studio.server.calls).toEqual([]);
    studio.openai.script({ text: ["It is noted."] });
    await studio.instance.engine.approveRun(waiting.id, "asker");
    const [result] = resultsOf(await studio.whole("tool"));
    expect(result).toMatchObject({ state: "done", runId: waiting.id, output: "Noted: buy milk" });
    expect(textOfMessage(await studio.whole("assistant", 1))).toBe("It is noted.");
    expect(await studio.runOf(waiting.id)).toMatchObject({ state: "succeeded", costMicros: 0 });
    expect((await studio.ledgerOf(waiting.id)).map(({ micros }) => micros)).toEqual([0]);
    const offered = (
      studio.openai.posts[0]!.body as {
        tools: { function: { name: string; description: string } }[];
      }
    ).tools;
    expect(offered.map(({ function: { name } }) => name)).toEqual([
      "notebook_add_note",
      "notebook_read_notes",
    ]);
    expect(offered[0]!.function.description).toBe("Writes a note down. (A tool of Notebook.)");
    expect(studio.server.refused).toEqual([]);
  });

  it("a tool that claims to be read-only still asks, unless the server's manager trusts it", async () => {
    const wary = await build();
    await wary.ask([{ name: "notebook_read_notes", input: {} }]);
    await wary.called(({ waitingFor }) => waitingFor === "asker");
    const trusting = await build({ trust: "yes" });
    await trusting.ask([{ name: "notebook_read_notes", input: {} }, addNote]);
    await until("the second waits", async () => {
      const tool = (await trusting.messages()).find(({ role }) => role === "tool");
      return tool && resultsOf(tool)[0]!.state === "done" && resultsOf(tool)[1]!.runId !== null;
    });
    expect(trusting.server.calls.map(({ name }) => name)).toEqual(["read-notes"]);
  });

  it("with a permanent approval, the same tool in the same conversation no longer asks, and another does", async () => {
    const studio = await build();
    await studio.ask();
    const { id } = await studio.called(({ waitingFor }) => waitingFor === "asker");
    studio.openai.script({
      text: ["Once more, and a look."],
      toolCalls: [addNote, { name: "notebook_read_notes", input: {} }],
    });
    await studio.instance.engine.approveRun(id, "asker", { always: true });
    const second = await until("the second round is there", async () => {
      const tool = (await studio.messages()).filter(({ role }) => role === "tool")[1];
      return (
        tool && resultsOf(tool)[0]!.state === "done" && resultsOf(tool)[1]!.runId !== null && tool
      );
    });
    expect(await studio.runOf(resultsOf(second)[1]!.runId!)).toMatchObject({
      modelId: "read-notes",
      waitingFor: "asker",
    });
    expect(studio.server.calls.map(({ name }) => name)).toEqual(["add_note", "add_note"]);
  });

  it("a tool allowed in this conversation no longer asks, and its picture is saved", async () => {
    const studio = await build({ tools: ["draw.pixel", "fail"], allowed: ["draw.pixel", "fail"] });
    await studio.ask([
      { name: "notebook_draw_pixel", input: {} },
      { name: "notebook_fail", input: {} },
    ]);
    const [drawn, failed] = resultsOf(await studio.whole("tool"));
    expect(drawn).toMatchObject({ state: "done", output: expect.stringContaining("One dot.") });
    expect((await studio.assetsOf(drawn!.runId!)).map(({ id, kind }) => [id, kind])).toEqual([
      [drawn!.assetIds[0], "image"],
    ]);
    expect(failed).toMatchObject({
      state: "failed",
      output: "<b>It does not work.</b>",
      assetIds: [],
    });
  });

  it.each([
    [true, "reaches a model that sees"],
    [undefined, "is kept from a model that may not see"],
  ])("a picture of a tool (imageInput %s) %s, after the tool's result", async (imageInput, _) => {
    const studio = await build({ tools: ["draw.pixel"], allowed: ["draw.pixel"] });
    await studio.instance.store.write((tx) =>
      tx
        .updateTable("model")
        .set({ capabilities: JSON.stringify({ tools: true, imageInput }) })
        .where("connection_id", "!=", studio.connection.id)
        .execute(),
    );
    await studio.ask([{ name: "notebook_draw_pixel", input: {} }]);
    studio.openai.script({ text: ["A dot."] });
    const [drawn] = resultsOf(await studio.whole("tool"));
    expect(drawn!.pictureIds).toEqual(drawn!.assetIds);
    expect(textOfMessage(await studio.whole("assistant", 1))).toBe("A dot.");
    const { messages } = studio.openai.posts.at(-1)!.body as {
      messages: { role: string; content: unknown }[];
    };
    expect(messages.at(imageInput ? -2 : -1)).toMatchObject({ role: "tool" });
    if (imageInput)
      expect(messages.at(-1)).toEqual({
        role: "user",
        content: [
          { type: "text", text: `[asset:${drawn!.assetIds[0]}, from notebook_draw_pixel]` },
          {
            type: "image_url",
            image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) },
          },
        ],
      });
  });

  it("a call whose server reports progress and then breaks off may have been done", async () => {
    const studio = await build({ allowed: ["add_note"] });
    studio.server.script({ asEvents: true, fault: { kind: "no-result" } });
    await studio.ask();
    const [result] = resultsOf(await studio.whole("tool"));
    expect(result).toMatchObject({
      state: "failed",
      output: expect.stringContaining("The tool may have run."),
    });
    expect(studio.server.calls).toHaveLength(1);
  });

  it("after a restart of the server a call is made in a new session, once", async () => {
    const studio = await build({ allowed: ["add_note"] });
    studio.server.restart();
    await studio.ask();
    const [result] = resultsOf(await studio.whole("tool"));
    expect(result).toMatchObject({ state: "done", output: "Noted: buy milk" });
    expect(studio.server.notes).toEqual(["buy milk"]);
  });

  const booking = {
    message: "Which table?",
    requestedSchema: {
      type: "object",
      properties: { seats: { type: "integer", minimum: 1, maximum: 8 } },
      required: ["seats"],
    },
  };
  /** A tool that requests a table, and its run's log. */
  async function asking(clock?: TestClock, more: Parameters<Mcp["script"]>[0] = {}) {
    const studio = await build({ allowed: ["add_note"], ...(clock && { clock }) });
    studio.server.script({ asks: booking, ...more });
    await studio.ask();
    const { id: runId } = await studio.called(({ state }) => state === "submitting");
    const question = await until("the question is in the log", async () => {
      const events = await listRunEvents(studio.instance.store.db, runId, 0, 100);
      return events.find(({ type }) => type === "question")?.payload as { id: string } | undefined;
    });
    const answer = (body: object, person: Pick<Caller, "call"> = studio.person) =>
      person.call("answerQuestion", {
        params: { runId },
        body: { questionId: question.id, ...body },
      });
    const result = async () => resultsOf(await studio.whole("tool"))[0]!.output;
    return { ...studio, runId, question, answer, result };
  }

  it("a tool's question waits for the person, who answers with its form, once", async () => {
    const studio = await asking();
    expect(studio.question).toMatchObject({ message: "Which table?" });
    expect((await studio.answer({ action: "accept", content: { seats: 9 } })).status).toBe(422);
    expect((await studio.answer({ action: "accept", content: { seats: 2 } })).status).toBe(200);
    expect(await studio.result()).toBe('{"action":"accept","content":{"seats":2}}');
    expect((await studio.answer({ action: "decline" })).status).toBe(409);
  });

  it("a declined or unanswered question leaves the tool without an answer", async () => {
    const declined = await asking();
    expect((await declined.answer({ action: "decline" })).status).toBe(200);
    expect(await declined.result()).toBe('{"action":"decline"}');
    const clock = createTestClock();
    const late = await asking(clock);
    clock.advance(limits.toolQuestionMs);
    expect(await late.result()).toBe('{"action":"cancel"}');
  });

  it("a question that its server withdraws is closed while the call continues, and nobody can answer it", async () => {
    const studio = await asking(undefined, { takesBackAt: "taken back", gate: "done" });
    studio.server.open("taken back");
    const closed = await until("the question is closed", async () => {
      const events = await listRunEvents(studio.instance.store.db, studio.runId, 0, 100);
      return events.find(({ type }) => type === "question-answered")?.payload;
    });
    expect(closed).toEqual({ id: studio.question.id, action: "cancel" });
    expect((await studio.runOf(studio.runId)).state).toBe("submitting");
    expect((await studio.answer({ action: "accept", content: { seats: 2 } })).status).toBe(409);
    studio.server.open("done");
    expect(await studio.result()).toBe("It went on without an answer.");
    expect(studio.server.refused).toEqual([]);
  });

  it("only the person whose model called the tool answers its question", async () => {
    const studio = await asking();
    const other = await studio.instance.createPerson("other@example.org");
    await studio.instance.store.write((tx) =>
      insertMember(tx, {
        projectId: studio.person.projectId,
        userId: other.user.id,
        role: "editor",
        at: 0,
      }),
    );
    const { status } = await studio.answer({ action: "decline" }, other);
    expect([403, 404]).toContain(status);
    expect((await studio.answer({ action: "decline" })).status).toBe(200);
  });

  it("a sent, unanswered call isn't sent again: it fails, and the model reads that it may have been done", async () => {
    const studio = await build({ allowed: ["add_note"] });
    studio.server.script({ fault: { kind: "reset" } });
    await studio.ask();
    const lost = await studio.called(({ state }) => state === "failed");
    expect(studio.server.notes).toEqual(["buy milk"]);
    const [result] = resultsOf(await studio.whole("tool"));
    expect(result).toMatchObject({
      state: "failed",
      output: expect.stringContaining("may have run"),
    });
    expect(await studio.whole("assistant", 1)).toMatchObject({ state: "complete" });
    expect(studio.server.calls).toHaveLength(1);
    expect(await studio.runOf(lost.id)).toMatchObject({ costMicros: 0 });
  });

  it("a forgotten session is reopened, and the call is sent once", async () => {
    const studio = await build({ allowed: ["add_note"] });
    studio.server.script({ fault: { kind: "forget" } });
    await studio.ask();
    expect(resultsOf(await studio.whole("tool"))[0]).toMatchObject({ state: "done" });
    expect(studio.server.calls).toHaveLength(1);
  });

  it("Stop ends the call and the round", async () => {
    const studio = await build({ allowed: ["add_note"] });
    studio.server.script({ gate: "done" });
    await studio.ask();
    await studio.server.reached("done");
    const run = await studio.called(() => true);
    await studio.instance.engine.cancelRun(run.id);
    const tool = await studio.whole("tool");
    expect(resultsOf(tool)[0]).toMatchObject({
      state: "stopped",
      output: expect.stringContaining("may have run in part"),
    });
    await until("the server knows", async () => studio.server.cancelled.length === 1);
  });
});
