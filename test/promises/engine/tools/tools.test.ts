import { expect, it } from "vitest";
import type { Message, MessagePart, ToolResultPart } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { admitMessage } from "#engine/admit/admit-chat.ts";
import { advanceAllTools } from "#engine/rounds/advance.ts";
import { listMessages, updateConversation } from "#store/content/conversations.ts";
import type { MessageRow } from "#store/database/schema.ts";
import { onSqlite } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createStudio, type Studio, textOfMessage } from "../../../support/studio/studio.ts";

const draw = "make_image_simulated_flux";
const input = { prompt: "a red fox", image_size: { width: 64, height: 64 } };
const makeCall = (more: object = {}) => ({ name: draw, input: { ...input, ...more } });

const resultsOf = (message: Message): ToolResultPart[] =>
  message.parts.filter((part) => part.type === "tool-result");

onSqlite((create) => {
  async function build(options: { allowed?: boolean } = {}) {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const conversationId = await studio.startConversation();
    const { allowed = true } = options;
    const tools = { models: [{ ...studio.models.fal, allowed }], library: true };
    await studio.instance.commit((unit) =>
      updateConversation(unit, conversationId, { settings: { tools } }),
    );
    const messages = () => listMessages(studio.instance.store.db, conversationId);
    /** Waits until the message with this role and place is complete. */
    const whole = (role: Message["role"], place = 0): Promise<Message> =>
      until(`message ${place} of ${role} is whole`, async () => {
        const found = (await messages()).filter((message) => message.role === role)[place];
        return found && found.state !== "streaming" && found;
      });
    return { ...studio, conversationId, messages, whole };
  }
  const bodiesOf = ({ openai }: Pick<Studio, "openai">) =>
    openai.posts.map(
      ({ body }) =>
        body as {
          messages: { role: string; content: string }[];
          tools?: { function: { name: string } }[];
        },
    );

  it("a model draws: the picture is an asset of its own run, and the answer continues from it", async () => {
    const studio = await build();
    studio.openai.script({ text: ["I draw. "], toolCalls: [makeCall()] });
    studio.openai.script({ text: ["Here it is."] });
    await studio.ask("draw a fox", "openai", { conversationId: studio.conversationId });
    const tool = await studio.whole("tool");
    const [result] = resultsOf(tool);
    expect(result).toMatchObject({
      name: draw,
      state: "done",
      output: expect.stringContaining(`asset:${result!.assetIds[0]}`),
    });
    const made = await studio.runOf(result!.runId!);
    expect(made).toMatchObject({
      state: "succeeded",
      task: "image",
      messageId: tool.id,
      input: { prompt: "a red fox" },
    });
    expect((await studio.assetsOf(made.id)).map(({ id }) => id)).toEqual(result!.assetIds);

    const last = await studio.whole("assistant", 1);
    expect(textOfMessage(last)).toBe("Here it is.");
    expect(last.parentId).toBe(tool.id);
    const [first, second] = bodiesOf(studio);
    expect(first!.tools?.map(({ function: { name } }) => name)).toEqual([
      "search_library",
      "read_file",
      draw,
    ]);
    expect(second!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(second!.messages[2]!.content).toBe(result!.output);
    expect(await studio.spentOf(made.id)).toHaveLength(1);
    expect(studio.fal.ledger.posts).toHaveLength(1);
  });

  it("endlessly waiting rounds hold up no newer one, however many there are", async () => {
    const studio = await build();
    const { instance, conversationId } = studio;
    const { message, run } = await studio.ask("first", "openai");
    await until(
      "the first answer is here",
      async () => (await studio.runOf(run.id)).state === "succeeded",
    );
    // SQLite adds a row number.
    const { row: _, ...row }: Record<string, unknown> = await instance.store.db
      .selectFrom("message")
      .selectAll()
      .where("id", "=", message.id)
      .executeTakeFirstOrThrow();
    const waits = {
      type: "tool-result",
      callId: "c",
      name: draw,
      state: "open",
      runId: message.id,
      output: "",
      assetIds: [],
    };
    await instance.commit(async ({ tx }) => {
      for (let i = 0; i < limits.pageSizeMost; i++) {
        const id = `00000000-0000-7000-8000-${String(i).padStart(12, "0")}`;
        const open = {
          role: "tool" as const,
          state: "streaming" as const,
          parts: JSON.stringify([waits]),
        };
        await tx
          .insertInto("message")
          .values({ ...(row as MessageRow), ...open, id, parent_id: message.id })
          .execute();
      }
    });
    studio.openai.script({ text: ["I draw. "], toolCalls: [makeCall()] });
    studio.openai.script({ text: ["Here it is."] });
    await studio.ask("draw a fox", "openai", { conversationId });
    expect(textOfMessage(await studio.whole("assistant", 1))).toBe("Here it is.");
  });

  it("results of an API key's answer belong to the key and count against its budget", async () => {
    const studio = await build();
    studio.openai.script({ text: ["I draw. "], toolCalls: [makeCall()] });
    const key = await studio.instance.createKey(studio.person);
    const body = {
      parentId: null,
      text: "draw a fox",
      ask: { model: studio.models.openai, settings: {} },
    };
    await key.call("sendMessage", { params: { conversationId: studio.conversationId }, body });
    const [result] = resultsOf(await studio.whole("tool"));
    const last = await studio.whole("assistant", 1);
    for (const runId of [result!.runId!, last.runId!])
      expect((await studio.runOf(runId)).apiKeyId).toBe(key.id);
  });

  it("however many servers look after a round at once, each tool starts once and the model is asked once", async () => {
    const studio = await build();
    studio.openai.script({
      text: ["Two."],
      toolCalls: [makeCall(), makeCall({ prompt: "a grey fox" })],
    });
    await studio.ask("draw two", "openai", { conversationId: studio.conversationId });
    await until("the last answer is whole", async () => {
      await Promise.all(
        Array.from({ length: 8 }, () => advanceAllTools(studio.instance.engine.deps)),
      );
      const last = (await studio.messages()).at(-1)!;
      return (
        last.role === "assistant" &&
        last.state === "complete" &&
        last.parentId !== (await studio.messages())[0]!.id
      );
    });
    expect((await studio.messages()).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(studio.fal.ledger.posts).toHaveLength(2);
    expect(studio.openai.posts).toHaveLength(2);
  });

  it("paid tools wait for the person's approval, and a refusal is reported to the model", async () => {
    const studio = await build({ allowed: false });
    studio.openai.script({ text: ["May I?"], toolCalls: [makeCall()] });
    studio.openai.script({ text: ["As you wish."] });
    await studio.ask("draw a fox", "openai", { conversationId: studio.conversationId });
    const waiting = await until("a tool waits", async () => {
      const tool = (await studio.messages()).find(({ role }) => role === "tool");
      const runId = tool && resultsOf(tool)[0]?.runId;
      const run = runId ? await studio.runOf(runId) : undefined;
      return run?.waitingFor === "asker" ? run : false;
    });
    expect(waiting.heldMicros).toBeGreaterThan(0);
    await studio.instance.engine.cancelRun(waiting.id);
    expect(resultsOf(await studio.whole("tool"))[0]).toMatchObject({ state: "refused" });
    expect(textOfMessage(await studio.whole("assistant", 1))).toBe("As you wish.");
    expect(studio.fal.ledger.posts).toEqual([]);
    expect(bodiesOf(studio)[1]!.messages.at(-1)!.content).toContain("declined");
  });

  it("with the person's approval it runs", async () => {
    const studio = await build({ allowed: false });
    studio.openai.script({ text: ["May I?"], toolCalls: [makeCall()] });
    await studio.ask("draw a fox", "openai", { conversationId: studio.conversationId });
    const runId = await until("a tool waits", async () => {
      const tool = (await studio.messages()).find(({ role }) => role === "tool");
      return (tool && resultsOf(tool)[0]?.runId) ?? false;
    });
    await studio.instance.engine.approveRun(runId, "asker");
    expect(resultsOf(await studio.whole("tool"))[0]).toMatchObject({ state: "done", runId });
  });

  it("an unknown tool, an invalid input and a broken one are reported to the model, along with a working one", async () => {
    const studio = await build();
    studio.openai.script({
      text: ["Let me try."],
      toolCalls: [
        { name: "launch_rocket", input: {} },
        { name: draw, input: { prompt: 7 } },
        { name: "search_library", input: { query: "" } },
        { name: "read_file", input: { file: "asset:00000000-0000-4000-8000-000000000000" } },
      ],
    });
    await studio.ask("go on", "openai", { conversationId: studio.conversationId });
    const results = resultsOf(await studio.whole("tool"));
    expect(results.map(({ state }) => state)).toEqual(["failed", "failed", "done", "failed"]);
    expect(results[0]!.output).toContain("launch_rocket");
    expect(results[1]!.output).toContain("does not accept this");
    expect(results[2]!.output).toBe("No files found.");
    expect(await studio.whole("assistant", 1)).toMatchObject({ state: "complete" });
    expect(studio.fal.ledger.posts).toEqual([]);
  });

  it("a model reads the person's own library, and nobody else's", async () => {
    const studio = await build();
    const mine = await studio.make("a blue heron");
    await studio.ended(mine.id);
    const other = await studio.instance.createPerson("bob@example.org");
    await studio.ended((await studio.make("a hidden heron", { who: other })).id);
    studio.openai.script({
      text: ["I look."],
      toolCalls: [{ name: "search_library", input: { query: "heron" } }],
    });
    await studio.ask("which birds have I?", "openai", { conversationId: studio.conversationId });
    const [result] = resultsOf(await studio.whole("tool"));
    expect(result!.output).toContain("a blue heron");
    expect(result!.output).not.toContain("hidden");
  });

  it("a failed tool is reported to the model; one that the person stops ends the round", async () => {
    const studio = await build();
    studio.fal.script("a red fox", "422");
    studio.openai.script({ text: ["I draw."], toolCalls: [makeCall()] });
    await studio.ask("draw", "openai", { conversationId: studio.conversationId });
    expect(resultsOf(await studio.whole("tool"))[0]).toMatchObject({ state: "failed" });
    expect(await studio.whole("assistant", 1)).toMatchObject({ state: "complete" });

    studio.fal.script("another", "hold-queue");
    studio.openai.script({ text: ["Again."], toolCalls: [makeCall({ prompt: "another" })] });
    const parentId = (await studio.messages()).at(-1)!.id;
    await admitMessage(
      studio.instance.engineDeps,
      { userId: studio.person.user.id },
      {
        conversationId: studio.conversationId,
        parentId,
        text: "again",
        attachments: [],
        ask: { model: studio.models.openai, settings: {} },
      },
    );
    const runId = await until("the second tool is at work", async () => {
      const tool = (await studio.messages()).filter(({ role }) => role === "tool")[1];
      const id = tool && resultsOf(tool)[0]?.runId;
      return id && (await studio.runOf(id)).state === "submitted" ? id : false;
    });
    await studio.instance.engine.cancelRun(runId);
    const stopped = await studio.whole("tool", 1);
    expect(resultsOf(stopped)[0]).toMatchObject({ state: "stopped" });
    const problem = stopped.parts.find((part: MessagePart) => part.type === "problem");
    expect(problem).toMatchObject({ error: { code: "conflict" } });
    expect((await studio.messages()).filter(({ role }) => role === "assistant")).toHaveLength(3);
  });

  it("a person suspended meanwhile starts no tool and gets no further answer", async () => {
    const studio = await build();
    studio.openai.script({
      text: ["I draw."],
      toolCalls: [makeCall()],
      gate: { name: "said", at: 1 },
    });
    const { run } = await studio.ask("draw", "openai", { conversationId: studio.conversationId });
    await studio.openai.reached("said");
    await studio.instance.store.db
      .updateTable("user")
      .set({ status: "suspended" })
      .where("id", "=", studio.person.user.id)
      .execute();
    studio.openai.open("said");
    await studio.ended(run.id);
    const tool = await studio.whole("tool");
    expect(resultsOf(tool)[0]).toMatchObject({ state: "stopped", runId: null });
    expect(tool.parts.some(({ type }) => type === "problem")).toBe(true);
    expect(studio.fal.ledger.posts).toEqual([]);
    expect(studio.openai.posts).toHaveLength(1);
  });

  it("a key revoked meanwhile starts no tool and gets no further answer", async () => {
    const studio = await build();
    studio.openai.script({
      text: ["I draw."],
      toolCalls: [makeCall()],
      gate: { name: "said", at: 1 },
    });
    const key = await studio.instance.createKey(studio.person);
    const body = {
      parentId: null,
      text: "draw a fox",
      ask: { model: studio.models.openai, settings: {} },
    };
    await key.call("sendMessage", { params: { conversationId: studio.conversationId }, body });
    await studio.openai.reached("said");
    expect((await studio.person.call("revokeKey", { params: { keyId: key.id } })).status).toBe(200);
    studio.openai.open("said");
    expect(resultsOf(await studio.whole("tool"))[0]).toMatchObject({
      state: "stopped",
      runId: null,
    });
    expect(studio.fal.ledger.posts).toEqual([]);
    expect(studio.openai.posts).toHaveLength(1);
  });

  it("a model that calls tools endlessly is stopped, and everything it made is saved", async () => {
    const studio = await build();
    for (let round = 0; round < 17; round++)
      studio.openai.script({
        text: [`${round}`],
        toolCalls: [{ name: "search_library", input: { query: "" } }],
      });
    await studio.ask("go on", "openai", { conversationId: studio.conversationId });
    const last = await studio.whole("tool", 15);
    expect(last.parts.at(-1)).toMatchObject({
      type: "problem",
      error: { message: expect.stringContaining("16 times") },
    });
    expect(studio.openai.posts).toHaveLength(16);
  });
});
