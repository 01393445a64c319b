import { expect, it, vi } from "vitest";
import type { Adapter, AnswerPart, InputFile, RunRequest } from "#providers/adapter.ts";
import { buildRequest, collect } from "./attempt.ts";

/**
 * The facts that the contract needs of a kind without a provider, which makes its answers itself.
 */
export type OwnContract = {
  adapter: Adapter;
  /** One request for each of its ways, by name, and the number of files that it makes. */
  ways: readonly (readonly [what: string, request: Partial<RunRequest>, files: number])[];
};

/**
 * The adapter contract without a network: nothing is sent, every answer ends, and a cancel ends it
 * immediately.
 */
export function keepsTheOwnContract({ adapter, ways }: OwnContract): void {
  const { kind } = adapter;

  function build(signal = new AbortController().signal) {
    const fetch = vi.fn(() => Promise.reject(new Error("Nothing is asked for.")));
    const context = {
      connection: { id: "connection-1", kind, addresses: {}, options: {}, secret: null },
      fetch,
      signal,
      clock: { now: () => Date.parse("2026-11-02T10:00:00Z") },
      clientToken: "attempt-1",
      warn: () => {},
    };
    return {
      context,
      fetch,
      answer: (request: Partial<RunRequest>) =>
        adapter.answer!(buildRequest({ input: {}, ...request }), context),
    };
  }

  it.each(ways)(
    `${kind}: %s arrives whole, ends with a free finish, and sends no request`,
    async (_what, request, files) => {
      const { answer, fetch } = build();
      const received = await collect(answer(request));
      expect(received.error).toBeNull();
      expect(received.parts.at(-1)).toMatchObject({ type: "finish", costMicros: 0 });
      expect(received.files).toHaveLength(files);
      for (const file of received.files) expect(file.bytes!.length).toBeGreaterThan(0);
      if (files === 0)
        expect(received.parts.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it.each(ways)(
    `${kind}: %s that is canceled in the middle ends with the reason and saves its partial output`,
    async (_what, request) => {
      const controller = new AbortController();
      const { answer } = build(controller.signal);
      const reason = new DOMException("cancel", "AbortError");
      const parts: AnswerPart[] = [];
      const answering = (async () => {
        for await (const part of answer(request)) {
          parts.push(part);
          controller.abort(reason);
        }
      })();
      await expect(answering).rejects.toBe(reason);
      expect(parts.map(({ type }) => type)).not.toContain("finish");
      expect(parts.length).toBeGreaterThan(0);
    },
  );

  it.each(ways)(
    `${kind}: %s that is canceled before it starts makes nothing`,
    async (_what, request) => {
      const reason = new DOMException("cancel", "AbortError");
      const { answer } = build(AbortSignal.abort(reason));
      expect(await collect(answer(request))).toMatchObject({ error: reason, parts: [] });
    },
  );

  it(`${kind}: a missing model was definitely not asked`, async () => {
    const { answer } = build();
    const { error } = await collect(
      answer({ model: { id: "never-was", inputSchema: null, capabilities: {} } }),
    );
    expect(error).toMatchObject({ code: "model_gone", accepted: "no" });
  });

  it(`${kind}: the check and the list send no request, and IDs are unique`, async () => {
    const { context, fetch } = build();
    expect((await adapter.check(context)).message).not.toBe("");
    const ids: string[] = [];
    for await (const page of adapter.models(context)) ids.push(...page.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, { model }] of ways) expect(ids).toContain(model!.id);
    expect(fetch).not.toHaveBeenCalled();
  });
}

/** A request to one model with its form's values and the file that they name. */
export const toWay = (
  id: string,
  input: RunRequest["input"],
  file?: InputFile,
): Partial<RunRequest> => ({
  model: { id, inputSchema: null, capabilities: {} },
  input,
  turns: [],
  task: "other",
  files: new Map(file ? [[file.assetId, file]] : []),
});
