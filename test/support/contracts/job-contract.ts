import { expect, it, onTestFinished } from "vitest";
import {
  type Adapter,
  type JobHandle,
  type OpenConnection,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "#providers/adapter.ts";
import { isPassing } from "#providers/wire/job-errors.ts";
import type { Interruption } from "../../simulators/kit/interrupt.ts";
import { buildContext } from "./attempt.ts";

type Connection = Omit<OpenConnection, "id">;

/** The facts that the contract needs of a kind whose runs are jobs. */
export type JobContract = {
  adapter: Adapter;
  /** A strict simulator of the provider's protocol, and a connection to it. */
  start(): Promise<{
    simulator: {
      posts: readonly unknown[];
      interrupt(next: Interruption): void;
      stop(): Promise<void>;
    };
    /** Every address at which it is called. */
    origins: readonly string[];
    connection: Connection;
    context?: Partial<RunContext>;
    /** Completes the job, if polling doesn't. */
    finish?(): Promise<void>;
  }>;
  /** One request for each way to start a job. Each job ends after enough polls. */
  requests: readonly (readonly [what: string, request: RunRequest])[];
  /**
   * A job that never existed; null if it can't be distinguished from an active one, or if the
   * adapter's own tests cover it.
   */
  lost: JobHandle | null;
  /** A secret that the simulator refuses. */
  wrongKey: string;
  /** Its status is whether a file exists; only the head of the answer is read. */
  isLookedFor?: true;
};

/** Failures between a poll and its answer that say nothing about the job. */
const passing: readonly (readonly [when: string, met: Interruption, expected?: object])[] = [
  ["a socket dropped before the head", { kind: "reset", at: "request" }],
  ["a socket dropped in the middle", { kind: "reset", at: "middle" }],
  ["a page in place of an answer", { kind: "html" }],
  ["another site's page", { kind: "html", status: 404 }],
  ["a gateway's page", { kind: "html", status: 502 }],
  ["JSON that breaks off", { kind: "broken-json" }],
  ["an answer of another kind", { kind: "status", status: 200, body: [] }],
  ["an error of the server", { kind: "status", status: 500 }, { code: "provider_overloaded" }],
  ["an overload", { kind: "status", status: 503 }, { code: "provider_overloaded" }],
  [
    "a limit of rate",
    { kind: "status", status: 429, headers: { "retry-after": "9" } },
    { code: "provider_rate_limited" },
  ],
  ["a gateway that waited in vain", { kind: "status", status: 504 }],
  ["a key that is not known any more", { kind: "status", status: 401 }, { code: "provider_auth" }],
  ["a right that was taken away", { kind: "status", status: 403 }, { code: "provider_forbidden" }],
];

/**
 * The contract of every adapter whose runs are jobs: one POST, whatever is asked and answered
 * afterwards. After a job is accepted, failed polls are repeated, and only the provider's statement
 * about the job itself ends it.
 */
export function keepsTheJobContract({
  adapter,
  start,
  requests,
  lost,
  wrongKey,
  isLookedFor,
}: JobContract): void {
  const { kind } = adapter;
  const job = adapter.job!;

  async function build() {
    const { simulator, origins, connection, context: own, finish } = await start();
    onTestFinished(() => simulator.stop());
    const contextOf = (changed: Partial<Connection>, onePost: boolean) => {
      const outbound = { privateOrigins: origins, onePost };
      const { context } = buildContext({
        origin: origins[0]!,
        connection: { ...connection, ...changed },
        outbound,
      });
      return { ...context, ...own };
    };
    const paying = contextOf({}, true);
    const asking = contextOf({}, false);
    return {
      simulator,
      asking,
      stranger: contextOf({ secret: wrongKey }, false),
      submit: (request: RunRequest) => job.submit(request, paying),
      async untilDone(handle: JobHandle): Promise<void> {
        await finish?.();
        await expect
          .poll(async () => (await job.status(handle, asking)).state, { interval: 5 })
          .toBe("done");
      },
    };
  }
  const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => "nothing failed",
      (error: unknown) => error,
    );

  it.each(requests)(
    `${kind}: %s is started by one POST and polled, and its output arrives`,
    async (_what, request) => {
      const { simulator, asking, submit, untilDone } = await build();
      const handle = await submit(request);
      // It is stored as JSON between a server's death and the next start.
      expect(JSON.parse(JSON.stringify(handle))).toEqual(handle);
      await untilDone(handle);
      const { files, answerParts = [] } = await job.result(handle, asking);
      expect(files.length + answerParts.length).toBeGreaterThan(0);
      const named = job.handleOf?.(handle.id, request.model.id, asking);
      if (named) expect(await job.status(named, asking)).toMatchObject({ state: "done" });
      expect(simulator.posts).toHaveLength(1);
    },
  );

  it.each(requests)(
    `${kind}: %s is reported the same if each byte arrives alone`,
    async (_what, request) => {
      const { simulator, asking, submit, untilDone } = await build();
      const handle = await submit(request);
      simulator.interrupt({ kind: "pieces" });
      await job.status(handle, asking);
      await untilDone(handle);
      const whole = await job.result(handle, asking);
      simulator.interrupt({ kind: "pieces" });
      expect(await job.result(handle, asking)).toEqual(whole);
    },
  );

  const isOfHead = (met: Interruption) =>
    met.kind === "reset" ? met.at === "request" : "status" in met && met.status! >= 500;
  it.each(
    requests.flatMap(([what, request]) =>
      passing.map(([when, met, expected]) => [what, when, { request, met, expected }] as const),
    ),
  )(
    `${kind}: %s meets %s in a poll: it is polled again, and nothing is lost or paid twice`,
    async (_what, _when, { request, met, expected = {} }) => {
      const { simulator, asking, submit, untilDone } = await build();
      const handle = await submit(request);
      if (!isLookedFor || isOfHead(met)) {
        simulator.interrupt(met);
        const atStatus = await failureOf(job.status(handle, asking));
        expect([isPassing(atStatus), atStatus]).toEqual([true, expect.objectContaining(expected)]);
      }
      await untilDone(handle);
      simulator.interrupt(met);
      const atResult = await failureOf(job.result(handle, asking));
      expect([isPassing(atResult), atResult]).toEqual([true, expect.objectContaining(expected)]);
      const { files, answerParts = [] } = await job.result(handle, asking);
      expect(files.length + answerParts.length).toBeGreaterThan(0);
      expect(simulator.posts).toHaveLength(1);
    },
  );

  it.each(requests)(
    `${kind}: %s survives a poll with a wrong key, which is in no message`,
    async (_what, request) => {
      const { simulator, stranger, submit, untilDone } = await build();
      const handle = await submit(request);
      const error = await failureOf(job.status(handle, stranger));
      // A storage answers HEAD without a body, so there a wrong key looks like one without rights.
      expect(error).toMatchObject({ code: expect.stringMatching(/^provider_(auth|forbidden)$/) });
      expect(isPassing(error)).toBe(true);
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(wrongKey);
      await untilDone(handle);
      expect(simulator.posts).toHaveLength(1);
    },
  );

  it.each(requests)(
    `${kind}: %s is canceled, or can no longer be, without a paid POST`,
    async (_what, request) => {
      const { simulator, asking, submit } = await build();
      const handle = await submit(request);
      expect(await job.cancel(handle, asking)).toEqual(expect.any(Boolean));
      const other = await build();
      const late = await other.submit(request);
      await other.untilDone(late);
      expect(await job.cancel(late, other.asking)).toBe(false);
      expect([simulator.posts.length, other.simulator.posts.length]).toEqual([1, 1]);
    },
  );

  it.each(requests)(
    `${kind}: %s isn't reported as stopped or unstoppable by a cancel that broke on its way`,
    async (_what, request) => {
      for (const met of [
        { kind: "reset", at: "request" },
        { kind: "status", status: 500 },
        { kind: "status", status: 401 },
      ] as const) {
        const { simulator, asking, submit } = await build();
        const handle = await submit(request);
        simulator.interrupt(met);
        const outcome = await job.cancel(handle, asking).catch((error: unknown) => error);
        // Without a cancel, nothing was sent, and the fault applies to the next poll.
        if (outcome === false)
          expect(await failureOf(job.status(handle, asking))).toBeInstanceOf(ProviderError);
        else expect(outcome).toBeInstanceOf(ProviderError);
      }
    },
  );

  it.each(requests)(
    `${kind}: %s isn't reported as failed by a refused poll`,
    async (_what, request) => {
      const { simulator, asking, submit } = await build();
      const handle = await submit(request);
      for (const status of [400, 422]) {
        simulator.interrupt({ kind: "status", status });
        const error = await failureOf(job.status(handle, asking));
        expect(error).toBeInstanceOf(ProviderError);
        expect((error as ProviderError).detail.final).toBeUndefined();
      }
    },
  );

  if (lost) {
    it(`${kind}: a job that isn't found is polled again and not reported as free`, async () => {
      const { asking } = await build();
      const error = await failureOf(job.status(lost, asking));
      expect(error).toMatchObject({
        code: "output_unavailable",
        accepted: "yes",
        detail: { gone: true, billed: true },
      });
      expect(isPassing(error)).toBe(true);
      expect(String(error)).toMatch(/can’t find this job/);
    });
  }
}
