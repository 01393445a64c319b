import { expect, onTestFinished } from "vitest";
import { type ErrorCode, errors, Problem, toProblemBody } from "#contract/errors.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { ProviderError, type RunContext } from "#providers/adapter.ts";
import { isRecord } from "#providers/wire/error-fields.ts";
import { isPassing } from "#providers/wire/job-errors.ts";
import { buildContext, collect } from "../contracts/attempt.ts";
import {
  type Column,
  type LateRefusal,
  type Refusal,
  type RowName,
  rowOf,
  type Started,
} from "./table.ts";

/** Answers with one refusal, and judges the adapter's error. */
export async function judgeRefusal(
  column: Column,
  name: RowName,
  refusal: Refusal,
  echo = false,
): Promise<void> {
  const { started, context, secrets } = await start(column);
  const { status, headers, waitMs, field } = refusal;
  const body = fill(refusal.body, secrets, echo);
  started.simulator.script({
    fault: { kind: "status", status, body, ...(headers && { headers }) },
  });
  const error = await ask(column, started, context);
  const row = rowOf(name);
  const isForeign = refusal.isForeign || !isVerdict(status);
  const isLost = isForeign && row.code === "provider_failed";
  const expected = {
    code: refusal.code ?? (isLost ? "outcome_unknown" : row.code),
    accepted: refusal.accepted ?? (isForeign ? "unknown" : row.accepted),
  };
  judge(error, expected, refusal.code || isLost ? undefined : row.next, secrets);
  expect(error).toMatchObject({
    detail: {
      httpStatus: status,
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
      ...(field && { field }),
    },
  });
  if (!refusal.isSilent && !echo) expectWordsOf(body, error, secrets);
  expect(started.simulator.posts).toHaveLength(column.opensFree ? 0 : 1);
}

/** Whether a status refuses in any shape, or only in the provider's own. */
const isVerdict = (status: number): boolean =>
  status < 500
    ? acceptedBy({ method: "POST", sent: true, status }) === "no"
    : status < 520 || status > 527;

const callerRows: ReadonlySet<RowName> = new Set([
  "rate limit",
  "used up",
  "wrong key",
  "missing right",
]);

/**
 * Answers a poll of an accepted job with a refusal. Whatever it says about the caller, the job is
 * polled again.
 */
export async function judgeAsked(
  column: Column,
  name: RowName,
  { status, headers, waitMs, ...refusal }: Refusal,
): Promise<void> {
  const { started, context, follow, secrets } = await start(column);
  const job = column.adapter.job!;
  const handle = await job.submit(column.request, context);
  const body = fill(refusal.body, secrets, false);
  // A broken server hasn't started anything here, and the next poll may be answered.
  const code =
    name === "broken server" ? "provider_overloaded" : (refusal.code ?? rowOf(name).code);
  // In place of a result it may be the job's own end, unless it is about the caller.
  const asked = callerRows.has(name) ? [job.status, job.result] : [job.status];
  for (const question of asked) {
    started.interrupt!({ kind: "status", status, body, ...(headers && { headers }) });
    const error = await question(handle, follow).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect([isPassing(error), error]).toEqual([true, expect.any(ProviderError)]);
    judge(error, { code }, undefined, secrets);
    if (waitMs !== undefined) expect(error).toMatchObject({ detail: { retryAfterMs: waitMs } });
    if (!refusal.isSilent) expectWordsOf(body, error, secrets);
  }
  await job.status(handle, follow);
  expect(started.simulator.posts).toHaveLength(1);
}

/** Sends the refusal after the answer or the job has started. */
export async function judgeLate(
  column: Column,
  name: RowName,
  late: LateRefusal,
  echo = false,
): Promise<void> {
  const { started, context, follow, secrets } = await start(column);
  const row = rowOf(name);
  const expected = {
    code: late.code ?? row.late ?? row.code,
    accepted: late.accepted ?? "yes",
  } as const;
  const filled = "error" in late ? { ...late, error: fill(late.error, secrets, echo) } : late;
  if (started.endJob) {
    judge(
      await endOfJob(column, started, { context, follow }, filled),
      expected,
      undefined,
      secrets,
    );
  } else if (column.ask) {
    started.simulator.script({
      fault: {
        kind: "error-event",
        after: 0,
        error: "error" in filled ? filled.error : filled.finish,
      },
    });
    judge(
      await column.ask(started, context),
      expected,
      late.code ? undefined : (row.lateNext ?? row.next),
      secrets,
    );
  } else {
    const fault =
      "error" in filled
        ? { fault: { kind: "error-event" as const, after: 1, error: filled.error } }
        : {};
    started.simulator.script({
      text: ["one", " two"],
      ...fault,
      ...("finish" in filled && { finishReason: filled.finish }),
    });
    const answer = await collect(column.adapter.answer!(column.request, context));
    expect(answer.text).toBe("error" in filled ? "one" : "one two");
    if ("finish" in filled && answer.error === null)
      expect(answer.finish).toMatchObject({ reason: "content-filter" });
    else {
      expect(answer.finish).toBeUndefined();
      judge(answer.error, expected, late.code ? undefined : (row.lateNext ?? row.next), secrets);
      if ("error" in filled && !late.isSilent && !echo)
        expectWordsOf(filled.error, answer.error, secrets);
    }
  }
  expect(started.simulator.posts).toHaveLength(1);
}

async function start(column: Column) {
  const started = await column.start();
  onTestFinished(() => started.simulator.stop());
  const { origin, origins = [origin], connection } = started;
  const { context } = buildContext({ origin, connection, outbound: { privateOrigins: origins } });
  // Polling a job isn't a second paid request.
  const { context: asking } = buildContext({
    origin,
    connection,
    outbound: { privateOrigins: origins, onePost: false },
  });
  return {
    started,
    context: { ...context, ...started.context },
    follow: { ...asking, ...started.context },
    secrets: secretsIn(connection.secret),
  };
}

/** Submits a job that ends this way, and follows it to its end. */
async function endOfJob(
  { adapter, request }: Column,
  started: Started,
  { context, follow }: { context: RunContext; follow: RunContext },
  late: LateRefusal,
): Promise<unknown> {
  const job = adapter.job!;
  try {
    await started.endJob!(late, null);
    const handle = await job.submit(request, context);
    await started.endJob!(late, handle.id);
    await expect.poll(async () => (await job.status(handle, follow)).state).toBe("done");
    await job.result(handle, follow);
    return null;
  } catch (error) {
    return error;
  }
}

async function ask(
  { adapter, request, ask: own }: Column,
  started: Started,
  context: RunContext,
): Promise<unknown> {
  if (own) return own(started, context);
  if (adapter.answer && !started.endJob)
    return (await collect(adapter.answer(request, context))).error;
  return adapter.job!.submit(request, context).then(
    () => null,
    (error: unknown) => error,
  );
}

/**
 * Checks the code, whether the request was accepted, the sentence with its next step, and that no
 * secret is included.
 */
function judge(
  error: unknown,
  expected: { code: ErrorCode; accepted?: string },
  next: RegExp | undefined,
  secrets: readonly string[],
): void {
  if (!(error instanceof ProviderError))
    throw new Error(`No ProviderError: ${String(error)}`, { cause: error });
  expect({ code: error.code, accepted: error.accepted, said: error.message }).toMatchObject(
    expected,
  );
  const shown = toProblemBody(new Problem(error.code, error.detail));
  expect(shown.detail).toMatch(/^\P{Ll}.*\S/su);
  expect(shown.advice).toBe(errors[expected.code].advice);
  if (next) expect(shown.advice).toMatch(next);
  const shownText = JSON.stringify(shown);
  for (const secret of secrets) expect(shownText).not.toContain(secret);
  expect(shownText).not.toMatch(/(authorization|x-api-key)"?\s*[:=]|Bearer (?!•)/i);
}

/** Expects that the provider's message reaches the person. */
function expectWordsOf(body: unknown, error: unknown, secrets: readonly string[]): void {
  const hide = (words: string) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, "•••"), words);
  const sentences = sentencesIn(body).map((words) => hide(words).slice(0, 60));
  const { message } = error as Error;
  expect(sentences.some((words) => message.includes(words)) ? "said" : { message, sentences }).toBe(
    "said",
  );
}

const sentencesIn = (value: unknown): string[] => {
  if (typeof value === "string") return value.includes(" ") ? [value.trim()] : [];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(sentencesIn)
    : [];
};

/**
 * Replaces `{key}` with the key; with `echo`, every sentence of the body repeats the key and the
 * header that it came in.
 */
function fill(value: unknown, secrets: readonly string[], echo: boolean): unknown {
  if (typeof value === "string") {
    const filled = value.replaceAll("{key}", secrets[0] ?? "");
    return echo && value.includes(" ")
      ? `${filled} ${secrets.map((secret) => `You sent Bearer ${secret} (${secret}).`).join(" ")}`
      : filled;
  }
  if (Array.isArray(value)) return value.map((entry) => fill(entry, secrets, echo));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fill(inner, secrets, echo)]),
  );
}

/** The key, or the fields of a compound secret that are long enough to be keys. */
function secretsIn(secret: string | null): string[] {
  if (!secret) return [];
  if (!secret.startsWith("{")) return [secret];
  return Object.values(JSON.parse(secret) as Record<string, string>).filter(
    (value) => typeof value === "string" && value.length >= 16,
  );
}
