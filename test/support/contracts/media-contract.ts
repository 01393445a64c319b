import { expect, it, onTestFinished } from "vitest";
import {
  type Adapter,
  type InputFile,
  type OpenConnection,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "#providers/adapter.ts";
import type { Fault } from "../../simulators/kit/behaviour.ts";
import type { Simulator } from "../../simulators/kit/server.ts";
import { buildContext, buildRequest, collect } from "./attempt.ts";

type Connection = Omit<OpenConnection, "id">;

/** The facts that the contract needs of a kind that makes media, directly or as a job. */
export type MediaContract = {
  adapter: Adapter;
  /** A strict simulator of the provider's protocol, and a connection to it. */
  start(): Promise<{
    simulator: Pick<Simulator, "script" | "connections" | "stop"> & {
      posts: readonly { state: string }[];
      open?: Simulator["open"];
    };
    origin: string;
    connection: Connection;
    context?: Partial<RunContext>;
  }>;
  /** One request for each way to ask for something paid. */
  requests: readonly (readonly [what: string, request: RunRequest])[];
  /** The requests whose sound is passed on as it arrives. */
  streamed?: readonly string[];
  /** For a kind with both ways; otherwise it is the only one. */
  way?: "answer" | "job";
  /** Runs on the person's own machine, without a key. */
  isKeyless?: true;
  /** A key that the simulator refuses, if it isn't plain text. */
  wrongKey?: string;
  /**
   * Whether a torn answer leaves a job unknown, for a provider that can be asked by our own token.
   */
  halfHeard?: "unknown";
  /**
   * Free of charge: a server error means a torn answer, and an overload means that nothing was
   * started.
   */
  isFree?: true;
};

/** A request to one model with its form's values. */
export const toMedia = (
  task: RunRequest["task"],
  id: string,
  input: RunRequest["input"],
  file?: InputFile,
): RunRequest =>
  buildRequest({
    task,
    model: { id, inputSchema: null, capabilities: {} },
    turns: [],
    input,
    files: new Map(file ? [[file.assetId, file]] : []),
  });

/**
 * The contract of every adapter that makes media: whatever fails, exactly one POST was sent, and
 * the error states whether it was accepted.
 */
export function keepsTheMediaContract({
  adapter,
  start,
  requests,
  streamed = [],
  way,
  isKeyless,
  wrongKey,
  halfHeard,
  isFree,
}: MediaContract): void {
  const { kind } = adapter;
  const answer = way === "job" ? undefined : adapter.answer;

  async function build(connection: Partial<Connection> = {}, signal?: AbortSignal) {
    const started = await start();
    onTestFinished(() => started.simulator.stop());
    const built = buildContext({
      origin: started.origin,
      connection: { ...started.connection, ...connection },
      signal,
    });
    const context = { ...built.context, ...started.context };
    const ask = async (request: RunRequest): Promise<unknown> => {
      if (answer) return (await collect(answer(request, context))).error;
      return adapter.job!.submit(request, context).then(
        () => null,
        (error: unknown) => error,
      );
    };
    return { ...started, context, ask };
  }

  it.each(requests)(
    `${kind}: %s is accepted by a server that knows every field`,
    async (_what, request) => {
      const { simulator, ask } = await build();
      expect(await ask(request)).toBeNull();
      await expect.poll(() => simulator.posts).toMatchObject([{ state: "answered" }]);
    },
  );

  if (answer) {
    it.each(requests)(
      `${kind}: %s is read whole, however its bytes are cut`,
      async (_what, request) => {
        const made = async (splitBytes?: number) => {
          const { simulator, context } = await build();
          if (splitBytes) simulator.script({ splitBytes });
          const { error, files, text, finish } = await collect(answer(request, context));
          expect([error, finish]).toEqual([null, expect.objectContaining({ reason: "stop" })]);
          expect(files.length + text.length).toBeGreaterThan(0);
          for (const { url = "", bytes } of files)
            expect(url.length + (bytes?.length ?? 0)).toBeGreaterThan(0);
          return { text, files: files.map(({ name, mime, bytes }) => ({ name, mime, bytes })) };
        };
        expect(await made(13)).toEqual(await made());
      },
    );
  }

  for (const [what, request] of requests.filter(([name]) => streamed.includes(name)))
    it(`${kind}: ${what} is passed on before all of it has arrived`, async () => {
      const { simulator, context } = await build();
      simulator.script({ gate: { name: "rest", at: 1 } });
      const parts = answer!(request, context)[Symbol.asyncIterator]();
      expect((await parts.next()).value).toMatchObject({ type: "sound" });
      simulator.open!("rest");
      const { files, error } = await collect({ [Symbol.asyncIterator]: () => parts });
      expect([error, files.length]).toEqual([null, 1]);
    });

  it.each(requests)(
    `${kind}: %s that is canceled in progress ends with the reason and closes the connection`,
    async (_what, request) => {
      const controller = new AbortController();
      const { simulator, ask } = await build({}, controller.signal);
      simulator.script({ gate: { name: "made", at: "head" } });
      const asking = ask(request);
      await expect.poll(() => simulator.posts.length).toBe(1);
      const reason = new DOMException("cancel", "AbortError");
      controller.abort(reason);
      expect(await asking).toBe(reason);
      expect(simulator.posts).toHaveLength(1);
    },
  );

  // Nobody can know that it wasn't accepted; for free services it doesn't matter.
  const maybe = isFree ? expect.any(String) : expect.stringMatching(/^(unknown|yes)$/);
  const faults: readonly (readonly [when: string, fault: Fault, error: object])[] = [
    [
      "a socket dropped before the head",
      { kind: "reset", at: "request" },
      { code: "outcome_unknown", accepted: "unknown" },
    ],
    [
      "a socket dropped after the head",
      { kind: "reset", at: "head" },
      { accepted: halfHeard ?? "yes" },
    ],
    [
      "a page in place of an answer",
      { kind: "html" },
      { code: "provider_protocol", accepted: "unknown" },
    ],
    ["JSON that breaks off", { kind: "broken-json" }, { accepted: maybe }],
    ["an answer of another kind", { kind: "status", status: 200, body: [] }, { accepted: maybe }],
  ];
  it.each(
    requests.flatMap(([what, request]) =>
      faults.map(([when, fault, error]) => [what, when, { request, fault, error }] as const),
    ),
  )(`${kind}: %s, %s: sent once`, async (_what, _when, { request, fault, error }) => {
    const { simulator, ask } = await build();
    simulator.script({ fault });
    expect(await ask(request)).toMatchObject(error);
    expect(simulator.posts).toHaveLength(1);
  });

  it.each([500, 503])(
    `${kind}: %i is sent once, and refuses only if the body has the provider's own shape`,
    async (status) => {
      for (const [, request] of requests) {
        const { simulator, ask } = await build();
        simulator.script({ fault: { kind: "status", status } });
        const error = await ask(request);
        const own = error instanceof ProviderError && error.detail.ownShape === true;
        const broken =
          isFree && own ? "provider_interrupted" : own ? "provider_failed" : "outcome_unknown";
        expect(error).toMatchObject({
          code: status === 500 ? broken : "provider_overloaded",
          accepted: own ? "no" : "unknown",
        });
        expect(simulator.posts).toHaveLength(1);
      }
    },
  );

  it(`${kind}: a wrong key is reported, by the check as well, and never repeated in a message`, async () => {
    const secret = wrongKey ?? "wrong-key-of-somebody";
    const { simulator, ask, context } = await build({ secret });
    const refused = { code: "provider_auth", accepted: "no" };
    const error = await ask(requests[0]![1]);
    expect(error).toMatchObject(refused);
    expect(JSON.stringify(error)).not.toContain(secret);
    await expect(adapter.check(context)).rejects.toMatchObject(refused);
    expect(simulator.posts.filter(({ state }) => state !== "refused")).toEqual([]);
  });

  if (!isKeyless) {
    it(`${kind}: without a key nothing is sent`, async () => {
      const { simulator, ask } = await build({ secret: null });
      expect(await ask(requests[0]![1])).toMatchObject({ code: "provider_auth", accepted: "no" });
      expect(simulator.connections()).toBe(0);
    });
  }

  it(`${kind}: the check and the list cost nothing, and IDs are unique`, async () => {
    const { simulator, context } = await build();
    await expect(adapter.check(context)).resolves.toMatchObject({ message: expect.any(String) });
    const ids: string[] = [];
    for await (const page of adapter.models(context)) ids.push(...page.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(simulator.posts).toEqual([]);
  });
}
