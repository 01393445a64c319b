import type { ServerResponse } from "node:http";
import { listByIdempotencyScope, type OwnedRun, releaseIdempotencyKey } from "#store/runs.ts";
import type { ServerDeps } from "../deps.ts";

/**
 * fal's client sends a submit and a direct run again when the line broke or answered 429, 502, 503 or 504, and names no request by a
 * word of its own (@fal-ai/client 1.10.1, request.ts and retry.ts). So the run of a request stays to be found by who asked what, until
 * the client is known to have its answer. Equal requests whose clients wait at the same time are several, each with a run of its own.
 */
const mark = "fal:";
/** The client waits at least three quarters of 500 ms before it repeats: what comes sooner after an answer is another request. */
const repeatLeastMs = 300;
/** Its longest waits before its last repeat, together, and a server's restart in between. */
const repeatMostMs = 2 * 60_000;
/** A direct run's answer is the last that the client says of it: an equal request later than its first repeat would come is another. */
const directRepeatMostMs = 1_000;

/**
 * Where the answer to a request stands. `open`: its client waits. `sent`: it went out whole. `lost`: the line broke before that, so the
 * next equal request is its repeat. `over`: no repeat is to be expected.
 */
type Line = { is: "open" | "sent" | "lost" | "over"; at: number };
/** A request that this server answers, or has answered lately, from before its run is admitted. */
type Answer = { scope: string; key: string; isDirect: boolean; run: Promise<OwnedRun>; line: Line };

export type Request = {
  projectId: string;
  userId: string;
  /** Of everything that makes the request what it is. */
  hash: string;
  /** The caller's own word for it, which says better what is a repeat than we can tell. */
  ownKey: string | undefined;
  /** Its answer is the result: nobody will ask about the run by its id. */
  isDirect: boolean;
  /** Where the answer goes out. */
  outgoing: ServerResponse;
  admit(idempotency: { key: string; within?: string }): Promise<OwnedRun>;
};
export type Asked = {
  run: OwnedRun;
  /** Its answer is a refusal: an equal request is a new try. */
  refused(): void;
};
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "log">) {
  /** By the keys that their runs are found by. */
  const answers = new Map<string, Answer>();
  /** Those whose run is not surely durable. */
  const admitting = new Set<Answer>();

  const lineOf = (is: Line["is"]): Line => ({ is, at: deps.clock.monotonic() });

  function forgetOld(): void {
    const now = deps.clock.monotonic();
    for (const [key, { line }] of answers) if (line.is !== "open" && now - line.at > repeatMostMs) answers.delete(key);
  }

  /** An equal request is another one from now on. */
  function release({ id, idempotencyKey }: OwnedRun): void {
    const answer = answers.get(idempotencyKey ?? "");
    if (answer) answer.line = lineOf("over");
    deps
      .commit((tx) => releaseIdempotencyKey(tx, id))
      .catch((error) => deps.log.warn({ runId: id, error: String(error) }, "could not note that an answer arrived"));
  }

  /** Whether the answer went out whole is known when its socket is done with it. */
  function follow(answer: Answer, outgoing: ServerResponse): void {
    answer.line = lineOf(outgoing.destroyed ? "lost" : "open");
    outgoing.once("finish", () => {
      if (answer.line.is !== "open") return;
      const sent = lineOf("sent");
      answer.line = sent;
      if (!answer.isDirect) return;
      const end = async () => answer.line === sent && release(await answer.run);
      setTimeout(() => void end().catch(() => undefined), directRepeatMostMs).unref();
    });
    outgoing.once("close", () => {
      if (!outgoing.writableFinished && answer.line.is === "open") answer.line = lineOf("lost");
    });
  }

  function mayBeRepeated(run: OwnedRun, isDirect: boolean): boolean {
    const answer = answers.get(run.idempotencyKey ?? "");
    if (answer?.line.is === "sent") {
      const sinceMs = deps.clock.monotonic() - answer.line.at;
      return sinceMs >= repeatLeastMs && sinceMs <= (isDirect ? directRepeatMostMs : repeatMostMs);
    }
    if (answer) return answer.line.is === "lost";
    // Of an answer that another server gave, or this one before it was killed, only the run's own times are known.
    // Of an unconfirmed run no end is known, and it must not stand in the way of its like for ever.
    const since = isDirect && run.state !== "unknown" ? run.finishedAt : run.createdAt;
    return since === null || deps.clock.now() - since <= repeatMostMs;
  }

  function begin(answer: Omit<Answer, "line">): Answer {
    const begun = { ...answer, line: lineOf("open") };
    admitting.add(begun);
    begun.run.then(
      () => admitting.delete(begun),
      () => {
        admitting.delete(begun);
        if (answers.get(begun.key) === begun) answers.delete(begun.key);
      },
    );
    return begun;
  }

  /** One request under the caller's own word. What is durable under it is for the engine to find. */
  function askNamed(request: Request, scope: string, key: string): Promise<OwnedRun> {
    const same = [...admitting].find((one) => one.scope === scope && one.key === key);
    return (same ?? begin({ scope, key, isDirect: request.isDirect, run: request.admit({ key }) })).run;
  }

  /** The run of this request: the one that it repeats, else a new one. @throws what `admit` throws, of the request that it repeats as well */
  async function ask(request: Request): Promise<Asked> {
    const { projectId, userId, hash, ownKey, isDirect, outgoing, admit } = request;
    forgetOld();
    const within = `${mark}${hash}`;
    const scope = `${projectId}:${userId}:${within}`;
    if (ownKey !== undefined) return { run: await askNamed(request, scope, ownKey), refused: () => undefined };
    // Before the rows are looked at: what becomes durable meanwhile is in one of the two.
    const pending = [...admitting].filter((one) => one.scope === scope);
    const rows = await listByIdempotencyScope(deps.store.db, scope);
    // Chosen and taken at once, so that an equal request at the same time finds the next one, or none.
    const row = rows.find((run) => mayBeRepeated(run, isDirect));
    const left = pending.find(({ line }) => line.is === "lost");
    const key = row?.idempotencyKey ?? deps.ids();
    const fresh = { scope, key, isDirect };
    const answer =
      left ??
      answers.get(key) ??
      (row ? { ...fresh, run: Promise.resolve(row), line: lineOf("open") } : begin({ ...fresh, run: admit({ key, within }) }));
    answers.set(answer.key, answer);
    follow(answer, outgoing);
    const run = await answer.run;
    return { run, refused: () => release(run) };
  }

  /** The client has named the run by its id, so it has the answer. */
  function heard(run: OwnedRun): void {
    if (run.idempotencyScope?.includes(`:${mark}`)) release(run);
  }

  return { ask, heard };
}
