import { expect, it, onTestFinished } from "vitest";
import { startAnthropic } from "../../../../test/simulators/anthropic.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import { anthropic } from "./adapter.ts";

async function ask(input: { maxOutputTokens: number; reasoningEffort?: string }) {
  const simulator = await startAnthropic();
  onTestFinished(() => simulator.stop());
  const { context, warnings } = buildContext({
    origin: new URL(simulator.url).origin,
    connection: {
      kind: "anthropic",
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key,
    },
  });
  // One of those that think by a budget of tokens; newer ones have none.
  const model = { id: "claude-sonnet-4-20250514", inputSchema: null, capabilities: {} };
  const answer = await collect(anthropic.answer!(buildRequest({ model, input }), context));
  const body = simulator.posts[0]!.body as {
    max_tokens: number;
    thinking?: { type: string; budget_tokens?: number };
    cache_control?: object;
  };
  return { answer, body, warnings };
}

it("the longest answer holds with thinking included, for that much is held and no more", async () => {
  const { answer, body } = await ask({ maxOutputTokens: 4_000, reasoningEffort: "high" });
  expect(answer.error).toBeNull();
  expect(body.max_tokens).toBe(4_000);
  expect(body.thinking).toMatchObject({ type: "enabled" });
  expect(body.thinking!.budget_tokens).toBeLessThan(4_000);
});

it("where the longest answer leaves no room for thinking it is left out, and that is said", async () => {
  const { answer, body, warnings } = await ask({ maxOutputTokens: 1_000, reasoningEffort: "high" });
  expect(answer.error).toBeNull();
  expect(body).toMatchObject({ max_tokens: 1_000 });
  expect(body.thinking).toBeUndefined();
  expect(warnings).toMatchObject([{ feature: "reasoningEffort" }]);
});

it("the provider's cache is asked for", async () => {
  expect((await ask({ maxOutputTokens: 100 })).body.cache_control).toEqual({ type: "ephemeral" });
});

it.each([true, false])(
  "documents are cited, and named once each, unless the answer has a shape (%s)",
  async (hasShape) => {
    const simulator = await startAnthropic();
    onTestFinished(() => simulator.stop());
    const { context } = buildContext({
      origin: new URL(simulator.url).origin,
      connection: {
        kind: "anthropic",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    });
    const files = [
      buildFile("report.pdf", "application/pdf", "%PDF-1.7"),
      buildFile("notes.md", "text/markdown", "The tide is low."),
    ];
    simulator.script({ text: "Low.", cites: true });
    const request = buildRequest({
      model: { id: "claude-sim-1", inputSchema: null, capabilities: { pdfInput: true } },
      turns: [
        {
          role: "user",
          parts: [
            { type: "text", text: "How is the tide?" },
            ...files.map((file) => ({ type: "file" as const, file })),
          ],
        },
      ],
      ...(hasShape && {
        answerShape: { name: "tide", schema: { type: "object", additionalProperties: false } },
      }),
    });
    const { error, parts } = await collect(anthropic.answer!(request, context));
    expect(error).toBeNull();
    expect(parts.filter(({ type }) => type === "source")).toEqual(
      hasShape ? [] : files.map(({ name }) => ({ type: "source", title: name, document: name })),
    );
  },
);
