import { expect, it, onTestFinished } from "vitest";
import type { Adapter, ChatTurn, OpenConnection, RunRequest } from "#providers/adapter.ts";
import type { Fault } from "../../simulators/kit/behaviour.ts";
import type { Simulator } from "../../simulators/kit/server.ts";
import { buildContext, buildFile, buildRequest, collect } from "./attempt.ts";

type Connection = Omit<OpenConnection, "id">;

/** The facts that the contract needs of a kind whose chat it tests. */
export type ChatContract = {
  adapter: Adapter;
  /** A strict simulator of the provider's protocol, and a connection to it. */
  start(): Promise<{
    simulator: Omit<Simulator, "origin" | "interrupt" | "requests" | "setAway">;
    origin: string;
    connection: Connection;
  }>;
  /** A chat model in the simulator's list that accepts pictures. */
  model: string;
  /** Takes one text, into which the turns are written, and no pictures. */
  readsOneText?: true;
  /** Not listed; a person has to know it. */
  isUnlisted?: true;
  capabilities?: RunRequest["model"]["capabilities"];
  /** Answers contain reasoning. */
  reasons?: boolean;
  usesTools?: boolean;
  shapesAnswers?: boolean;
  /** A key that the simulator refuses. */
  wrongKey?: string;
};

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const weather = {
  name: "weather",
  description: "The weather of a place.",
  inputSchema: {
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
    additionalProperties: false,
  },
};

/**
 * The contract of every adapter with chat, tested against a simulator of its provider's protocol:
 * whatever fails, exactly one POST was sent, the received part is kept, and the error states
 * whether the request was accepted. The providers' own errors are in test/support/refusals.
 */
export function keepsTheChatContract(contract: ChatContract): void {
  async function build(options: { connection?: Partial<Connection>; signal?: AbortSignal } = {}) {
    const started = await contract.start();
    onTestFinished(() => started.simulator.stop());
    const connection = { ...started.connection, ...options.connection };
    const built = buildContext({ origin: started.origin, connection, signal: options.signal });
    const ask = (request: Partial<RunRequest> = {}) => {
      const model = {
        id: contract.model,
        inputSchema: null,
        capabilities: contract.capabilities ?? {},
      };
      return collect(contract.adapter.answer!(buildRequest({ model, ...request }), built.context));
    };
    return { ...started, ...built, ask };
  }
  const { kind } = contract.adapter;

  it(`${kind}: an answer arrives in pieces, with its token counts`, async () => {
    const { simulator, ask } = await build();
    simulator.script({ text: ["one", " two", " three"] });
    const answer = await ask();
    expect(answer.error).toBeNull();
    expect(answer.parts.filter(({ type }) => type === "text")).toHaveLength(3);
    expect(answer.text).toBe("one two three");
    expect(answer.finish).toMatchObject({
      reason: "stop",
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    expect(simulator.posts).toMatchObject([{ state: "answered" }]);
  });

  it(`${kind}: bytes that arrive one by one give the same answer`, async () => {
    const { simulator, ask } = await build();
    const text = ["naïve ", "日本語 ", "👩‍👩‍👧 ", "end"];
    simulator.script({ text, splitBytes: 1 });
    expect(await ask()).toMatchObject({
      text: text.join(""),
      error: null,
      finish: { reason: "stop" },
    });
  });

  it(`${kind}: an answer's length limit is sent, and its end reports it`, async () => {
    const { simulator, ask } = await build();
    simulator.script({ text: ["a", " b", " c", " d"] });
    expect(await ask({ input: { maxOutputTokens: 2 } })).toMatchObject({
      text: "a b",
      finish: { reason: "length" },
    });
  });

  it(`${kind}: a system prompt and earlier turns are sent`, async () => {
    const { simulator, ask } = await build();
    const say = (role: ChatTurn["role"], text: string): ChatTurn => ({
      role,
      parts: [{ type: "text", text }],
    });
    const answer = await ask({
      turns: [
        say("system", "Be brief."),
        say("user", "one"),
        say("assistant", "two"),
        say("user", "three"),
      ],
    });
    expect(answer).toMatchObject({
      text: contract.readsOneText ? expect.stringContaining("three") : "You said: three",
      error: null,
    });
    for (const words of ["Be brief.", "one", "two"])
      expect(JSON.stringify(simulator.posts[0]!.body)).toContain(words);
  });

  if (contract.reasons) {
    it(`${kind}: reasoning is separate from the text`, async () => {
      const { simulator, ask } = await build();
      simulator.script({ text: ["yes"], reasoning: ["let me", " think"] });
      expect(await ask()).toMatchObject({ text: "yes", reasoning: "let me think", error: null });
    });
  }

  if (!contract.readsOneText) {
    it(`${kind}: a picture is sent`, async () => {
      const { simulator, ask } = await build();
      const file = buildFile("pixel.png", "image/png", pixel);
      const answer = await ask({
        turns: [
          {
            role: "user",
            parts: [
              { type: "text", text: "what is this?" },
              { type: "file", file },
            ],
          },
        ],
      });
      expect(answer.error).toBeNull();
      expect(JSON.stringify(simulator.posts[0]!.body)).toContain(pixel.toString("base64"));
    });
  }

  if (contract.usesTools) {
    it(`${kind}: a tool is called, and its result is returned`, async () => {
      const { simulator, ask } = await build();
      const toolCalls = [
        { name: "weather", input: { place: "Rome" } },
        { name: "weather", input: { place: "Turin" } },
      ];
      simulator.script({ text: ["I look."], toolCalls });
      const turns: ChatTurn[] = [
        { role: "user", parts: [{ type: "text", text: "how is the weather?" }] },
      ];
      const asked = await ask({ turns, tools: [weather] });
      expect(asked).toMatchObject({
        error: null,
        text: "I look.",
        finish: { reason: "tool-calls" },
      });
      const calls = asked.parts.filter((part) => part.type === "tool-call");
      expect(calls).toMatchObject(toolCalls);
      expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
      const pieces = asked.parts.filter((part) => part.type === "tool-call-piece");
      const written = toolCalls.map((_, place) =>
        pieces.flatMap((piece) => (piece.place === place ? [piece.text] : [])).join(""),
      );
      expect(written).toEqual(
        calls.map((call) => call.malformed ?? call.written ?? JSON.stringify(call.input)),
      );
      expect(pieces.map(({ name }) => name)).toEqual(pieces.map(() => "weather"));
      expect(asked.parts.findIndex(({ type }) => type === "tool-call")).toBeGreaterThan(
        asked.parts.findIndex(({ type }) => type === "tool-call-piece"),
      );

      const second = await build();
      turns.push({
        role: "assistant",
        parts: asked.parts.filter(
          (part) => part.type === "reasoning" || part.type === "text" || part.type === "tool-call",
        ),
      });
      turns.push({
        role: "tool",
        parts: calls.map(({ callId, name }, index) => ({
          type: "tool-result",
          callId,
          name,
          output: index === 0 ? "sunny" : "no station",
          ...(index === 1 && { failed: true }),
        })),
      });
      expect((await second.ask({ turns, tools: [weather] })).error).toBeNull();
      const sent = JSON.stringify(second.simulator.posts[0]!.body);
      for (const words of ["sunny", "no station", "Rome", "Turin"]) expect(sent).toContain(words);
    });

    it(`${kind}: a tool can be required by name`, async () => {
      const { simulator, ask } = await build();
      expect((await ask({ tools: [weather], toolChoice: { name: "weather" } })).error).toBeNull();
      expect(simulator.posts).toMatchObject([{ state: "answered" }]);
    });
  }

  if (contract.shapesAnswers) {
    it(`${kind}: an answer's schema is sent`, async () => {
      const { simulator, ask } = await build();
      simulator.script({ text: ['{"place":', '"Rome"}'] });
      const answer = await ask({ answerShape: { name: "place", schema: weather.inputSchema } });
      expect(answer).toMatchObject({ error: null, text: '{"place":"Rome"}' });
      expect(JSON.stringify(simulator.posts[0]!.body)).toContain("place");
    });
  }

  it(`${kind}: a cancel in mid-answer ends the call and saves the partial answer`, async () => {
    const controller = new AbortController();
    const { simulator, ask } = await build({ signal: controller.signal });
    simulator.script({ text: ["one", " two", " three"], gate: { name: "middle", at: 2 } });
    const answering = ask();
    await simulator.reached("middle");
    const reason = new DOMException("cancel", "AbortError");
    await expect.poll(() => simulator.posts.length).toBe(1);
    controller.abort(reason);
    const answer = await answering;
    expect(answer.error).toBe(reason);
    expect(answer.finish).toBeUndefined();
    await expect.poll(() => simulator.posts[0]!.state).toBe("client-left");
  });

  const broken: readonly (readonly [when: string, fault: Fault, text: string, error: object])[] = [
    [
      "a socket that is dropped before the answer's head",
      { kind: "reset", at: "request" },
      "",
      { code: "outcome_unknown", accepted: "unknown" },
    ],
    [
      "a socket that is dropped before the first word",
      { kind: "reset", at: "head" },
      "",
      { code: "provider_interrupted", accepted: "yes" },
    ],
    [
      "a socket that is dropped in the middle",
      { kind: "reset", at: 2 },
      "one two",
      { code: "provider_interrupted", accepted: "yes" },
    ],
    [
      "a clean end without a finish",
      { kind: "no-finish", after: 1 },
      "one",
      { code: "provider_interrupted", accepted: "yes" },
    ],
    [
      "an end in half a character",
      { kind: "half-character", after: 1 },
      "one",
      { accepted: "yes" },
    ],
    ["a piece that can't be read", { kind: "nan", after: 1 }, "one", { accepted: "yes" }],
    [
      "a web page in place of an answer",
      { kind: "html" },
      "",
      { code: "provider_protocol", accepted: "unknown" },
    ],
  ];
  it.each(broken)(
    `${kind}: %s saves the partial answer and is sent once`,
    async (_when, fault, text, error) => {
      const { simulator, ask } = await build();
      simulator.script({ text: ["one", " two", " three"], fault });
      expect(await ask()).toMatchObject({ text, finish: undefined, error });
      expect(simulator.posts).toHaveLength(1);
    },
  );

  it(`${kind}: an address that nobody listens on is provably not accepted`, async () => {
    const { simulator, ask } = await build();
    await simulator.stop();
    expect((await ask()).error).toMatchObject({ code: "provider_unreachable", accepted: "no" });
  });

  if (contract.wrongKey !== undefined) {
    it(`${kind}: a wrong key is reported as such and is in no message`, async () => {
      const { simulator, ask, context } = await build({
        connection: { secret: contract.wrongKey! },
      });
      const { error } = await ask();
      expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
      expect(String((error as Error).message)).not.toContain(contract.wrongKey);
      expect(simulator.posts).toMatchObject([{ state: "refused", billed: false }]);
      await expect(contract.adapter.check(context)).rejects.toMatchObject({
        code: "provider_auth",
      });
    });
  }

  it(`${kind}: the check and the list of models send no paid POST`, async () => {
    const { simulator, context } = await build();
    expect((await contract.adapter.check(context)).message).not.toBe("");
    const ids: string[] = [];
    for await (const page of contract.adapter.models(context))
      ids.push(...page.map(({ id }) => id));
    if (!contract.isUnlisted) expect(ids).toContain(contract.model);
    expect(new Set(ids).size).toBe(ids.length);
    expect(simulator.posts).toEqual([]);
  });
}
