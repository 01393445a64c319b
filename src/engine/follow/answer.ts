import type { MessagePart } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { returnsNoFile } from "#contract/tasks.ts";
import type { RunStep } from "#domain/runs/run-machine.ts";
import {
  type AnswerPart,
  type ProducedFile,
  ProviderError,
  type RunContext,
  type RunRequest,
  type ToolCall,
} from "#providers/adapter.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced, moveRun } from "#store/runs/runs.ts";
import { recordSuccess } from "../connections/circuit.ts";
import type { EngineDeps } from "../deps.ts";
import {
  attemptContext,
  attemptFacts,
  deferUntilEnd,
  type InHand,
  setRun,
  stop,
  wholeAnswerSignal,
} from "../in-hand.ts";
import { saveOrphanedResult, savePartialFiles } from "../ingest/partial-files.ts";
import { placeFiles, settleFiles } from "../ingest/settle-files.ts";
import { persist, readWithRetry } from "../persist.ts";
import type { Recording } from "../recordings.ts";
import { costOf, estimateUsage, usageOfAnswer } from "../settle/cost.ts";
import { failAttempt, isInDoubt, leaveUnsent, loseOutcome } from "../settle/fail.ts";
import {
  nothingIngested,
  type Outcome,
  type Rest,
  settleRun,
  toRunError,
} from "../settle/settle.ts";
import { saveLateAnswer } from "./late-answer.ts";
import { askPerson } from "./questions.ts";
import { createRunLog, type RunLog } from "./run-log.ts";
import { continuedParts } from "./saved-answer.ts";

type ReasoningPart = Extract<MessagePart, { type: "reasoning" }>;
/** The live recording of an answer's audio, kept until its files are stored. */
type Sound = { recording: Recording | undefined };
type ReceivedParts = {
  files: ProducedFile[];
  /** Includes records of the provider's tools. Neither is part of the text. */
  sources: MessagePart[];
  calls: ToolCall[];
  /** In the blocks that the provider signed, each of which is returned unchanged. */
  reasoning: ReasoningPart[];
  finish: Extract<AnswerPart, { type: "finish" }> | null;
};

/**
 * Follows a request whose response is the output, to the end of the response, with or without
 * viewers. Text is published immediately and saved within a second. Files, whole tool calls and the
 * end are durable before they are published.
 */
export async function followAnswer(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  clientToken: string,
  giveUp: AbortSignal,
): Promise<void> {
  // Streamed text is already in the log; a part that arrives whole would be lost.
  const signal =
    inHand.run.task === "chat" ? inHand.controller.signal : wholeAnswerSignal(inHand, giveUp);
  const log = createRunLog(
    deps,
    inHand.run,
    giveUp,
    () => stop(inHand, "fenced"),
    (run) => setRun(inHand, run),
  );
  const endSpeech = deps.hub.speaks(inHand.run.id, log.unwritten);
  const sound: Sound = { recording: undefined };
  try {
    await readAnswer(deps, inHand, request, { clientToken, signal, log, sound }, giveUp);
  } finally {
    endSpeech();
    await sound.recording?.end();
  }
}

async function readAnswer(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  {
    clientToken,
    signal,
    log,
    sound,
  }: { clientToken: string; signal: AbortSignal; log: RunLog; sound: Sound },
  giveUp: AbortSignal,
): Promise<void> {
  const isToolCall = inHand.run.task === "tool" && inHand.run.messageId !== null;
  // A tool's question to the person ends with its call.
  const ended = isToolCall ? new AbortController() : undefined;
  const context: RunContext = {
    ...attemptContext(deps, inHand, clientToken, signal),
    ...(ended && {
      askPerson: (question, withdrawn) =>
        askPerson(deps, inHand.run, question, {
          signal: AbortSignal.any([signal, ended.signal]),
          withdrawn,
        }),
    }),
  };
  const received: ReceivedParts = {
    files: [],
    sources: [],
    calls: [],
    reasoning: [],
    finish: null,
  };
  let error: unknown;
  let answered = false;
  try {
    for await (const part of inHand.adapter.answer!(request, context)) {
      if (deps.failpoints) await deps.failpoints.at("answer.part", inHand.run);
      if (!answered) await recordSuccess(deps, inHand);
      answered = true;
      if (part.type === "sound") {
        sound.recording ??= deps.hub.record(inHand.run.id, inHand.run.attempts, part.mime);
        await sound.recording.add(part.bytes);
      } else if (part.type === "recorded") {
        const { type: _, ...file } = part;
        const whole = sound.recording?.whole() ?? { bytes: new Uint8Array() };
        received.files.push({ ...file, ...whole });
      } else take(part, received, log, inHand.run);
    }
    await deps.failpoints?.at("answer.whole", inHand.run);
    if (!received.finish)
      throw new ProviderError("provider_interrupted", "yes", {
        message: sentences.answers.noFinish,
      });
    received.finish = {
      ...received.finish,
      usage: usageOfAnswer(inHand, request, received.finish, log.said),
    };
  } catch (thrown) {
    error = thrown;
  } finally {
    ended?.abort();
  }
  // A text-only answer ends in one unit, which also writes the last of its text.
  const isPlain = error === undefined && inHand.run.task === "chat" && received.files.length === 0;
  const rest = await (isPlain ? log.rest() : log.flush()).catch((thrown: unknown) => {
    if (inHand.stopped.reason !== "fenced") throw thrown;
  });
  if (inHand.stopped.reason === "fenced") {
    await saveFencedOutput(deps, inHand, request, { received, log, error }, giveUp);
    throw new Fenced(inHand.run.id);
  }
  if (
    inHand.stopped.reason !== null &&
    error !== undefined &&
    inHand.wire.sentAt === null &&
    !log.hasBegun()
  )
    return leaveUnsent(deps, inHand, giveUp);
  const hasNothing =
    log.said.text === "" &&
    log.said.reasoning === "" &&
    !log.hasShownCalls() &&
    received.files.length === 0;
  // The next owner decides the outcome. The partial answer is saved now, because it can't be
  // requested again.
  if (inHand.stopped.reason === "shutdown" && error !== undefined) {
    if (hasNothing || giveUp.aborted) return;
    if (signal.aborted) error = serverStopped();
  }
  const { task } = inHand.run;
  // A tool reports only progress before its result.
  const isLost =
    (!log.hasBegun() && !log.hasShownCalls()) ||
    (log.said.text === "" && (task === "tool" || (!inHand.free && !returnsNoFile(task))));
  if (
    error !== undefined &&
    isLost &&
    received.files.length === 0 &&
    inHand.stopped.reason === null
  )
    return void (await failAttempt(deps, inHand, request, error, giveUp, log.said));
  if (error === undefined && (received.files.length > 0 || inHand.run.task !== "chat"))
    return storeFiles(deps, inHand, received, log, giveUp).catch(async (thrown: unknown) => {
      if (thrown instanceof Fenced)
        await saveFencedOutput(deps, inHand, request, { received, log, error }, giveUp);
      throw thrown;
    });
  if (error !== undefined && inHand.stopped.reason !== "cancel" && isInDoubt(inHand, error)) {
    const kept = await savePartialFiles(deps, inHand, filesOf(inHand, received, log), giveUp);
    return loseOutcome(
      deps,
      inHand,
      toRunError(error, inHand.run.connectionId).message,
      giveUp,
      kept,
    );
  }
  await endAnswer(
    deps,
    inHand,
    request,
    { received, log, error, rest: rest || undefined },
    giveUp,
  ).catch(async (thrown: unknown) => {
    if (thrown instanceof Fenced)
      await saveFencedOutput(deps, inHand, request, { received, log, error }, giveUp);
    // The run will be resumed, and then reads its text from the log.
    else await log.flush();
    throw thrown;
  });
}

/**
 * Saves output of a run that another server has taken over: text to its message, the files of a
 * complete answer to the run.
 */
async function saveFencedOutput(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  { received, log, error }: { received: ReceivedParts; log: RunLog; error: unknown },
  giveUp: AbortSignal,
): Promise<void> {
  if (inHand.run.task === "chat") {
    const before = await readWithRetry(deps, giveUp, () => continuedParts(deps, inHand.run));
    const parts = partsOf(log.said, before, received.sources);
    // The tools that it calls no longer run, so such an answer stays interrupted.
    const isWhole = error === undefined && received.calls.length === 0;
    const counted = received.finish ?? {
      usage: estimateUsage(request, log.said, inHand.wire.used),
    };
    deferUntilEnd(inHand, (end) =>
      saveLateAnswer(deps, inHand, { parts, isWhole, came: counted }, end),
    );
  }
  await saveOrphanedResult(
    deps,
    inHand,
    { files: filesOf(inHand, received, log), finish: error === undefined ? received.finish : null },
    giveUp,
  );
}

/** The error shown on an answer that a server shutdown cut off. */
const serverStopped = (): ProviderError =>
  new ProviderError("provider_interrupted", "yes", {
    message: sentences.answers.serverStopped,
  });

function take(
  part: Exclude<AnswerPart, { type: "sound" | "recorded" }>,
  received: ReceivedParts,
  log: RunLog,
  { connectionId }: Pick<OwnedRun, "connectionId">,
): void {
  switch (part.type) {
    case "text":
      log.add({
        type: "text-delta",
        payload: { text: part.text, ...(part.citations && { citations: part.citations }) },
      });
      break;
    case "reasoning":
      log.reasons(true);
      takeReasoning(part, received.reasoning);
      if (part.text) log.add({ type: "reasoning-delta", payload: { text: part.text } });
      break;
    case "tool-call-piece":
      log.reasons(false);
      log.addArguments(part);
      break;
    case "tool-call":
      log.reasons(false);
      received.calls.push(part);
      break;
    case "source": {
      const { type: _, ...source } = part;
      received.sources.push(part);
      log.add({ type: "source", payload: source });
      break;
    }
    case "tool-record":
      received.sources.push({ ...part, connectionId });
      break;
    case "progress":
      log.add({
        type: "progress",
        payload: { done: part.done, total: part.total, ...(part.label && { label: part.label }) },
      });
      break;
    case "preview":
      log.add({
        type: "preview",
        payload: { mime: part.mime, base64: Buffer.from(part.bytes).toString("base64") },
      });
      break;
    case "partial":
      log.add({ type: "partial", payload: { data: part.data } });
      break;
    case "file":
      received.files.push(part.output);
      break;
    case "finish":
      log.reasons(false);
      received.finish = part;
  }
}

function takeReasoning(
  { text, providerMetadata }: Extract<AnswerPart, { type: "reasoning" }>,
  blocks: ReasoningPart[],
): void {
  if (!text && !providerMetadata) return;
  const last = blocks.at(-1);
  const isSame = JSON.stringify(last?.providerMetadata) === JSON.stringify(providerMetadata);
  if (last && (isSame || last.providerMetadata === undefined)) {
    last.text += text;
    if (providerMetadata) last.providerMetadata = providerMetadata;
  } else blocks.push({ type: "reasoning", text, ...(providerMetadata && { providerMetadata }) });
}

/**
 * The parts of an answer that calls tools, with its reasoning in the form that the provider
 * requires back.
 */
function withCalls(
  parts: MessagePart[],
  { calls, reasoning }: Pick<ReceivedParts, "calls" | "reasoning">,
): MessagePart[] {
  if (calls.length === 0) return parts;
  const isSigned = reasoning.some(({ providerMetadata }) => providerMetadata);
  if (!isSigned) return [...parts, ...calls];
  const durationMs = reasonedMsOf(parts);
  const [first, ...more] = reasoning;
  return [
    ...(first ? [{ ...first, ...(durationMs !== null && { durationMs }) }, ...more] : []),
    ...parts.filter(({ type }) => type !== "reasoning"),
    ...calls,
  ];
}

/** How long a message's model reasoned, in milliseconds; null if unknown. */
const reasonedMsOf = (parts: readonly MessagePart[]): number | null =>
  parts.find((part) => part.type === "reasoning")?.durationMs ?? null;

/** The parts of a message: those of the interrupted answer it continues, then its own. */
export function partsOf(
  answerText: { text: string; reasoning: string; reasonedMs?: number },
  before: readonly MessagePart[],
  sources: readonly MessagePart[],
): MessagePart[] {
  const begun = before.find((part) => part.type === "text")?.text ?? "";
  const thought = `${before.find((part) => part.type === "reasoning")?.text ?? ""}${answerText.reasoning}`;
  const text = `${begun}${answerText.text}`;
  const durationMs = Math.round((reasonedMsOf(before) ?? 0) + (answerText.reasonedMs ?? 0));
  return [
    ...(thought
      ? [{ type: "reasoning" as const, text: thought, ...(durationMs > 0 && { durationMs }) }]
      : []),
    ...(text ? [{ type: "text" as const, text }] : []),
    ...before.filter((part) => part.type === "tool-record"),
    ...sources,
  ];
}

/** The parts of an answer that arrived whole, from a job. */
export function wholeAnswer(
  received: readonly AnswerPart[],
  before: readonly MessagePart[],
): { parts: MessagePart[]; calls: ToolCall[] } {
  const answerText = { text: "", reasoning: "" };
  const [sources, calls, reasoning]: [MessagePart[], ToolCall[], ReasoningPart[]] = [[], [], []];
  for (const part of received) {
    if (part.type === "text" || part.type === "reasoning") answerText[part.type] += part.text;
    if (part.type === "reasoning") takeReasoning(part, reasoning);
    if (part.type === "source") sources.push(part);
    if (part.type === "tool-call") calls.push(part);
  }
  return { parts: withCalls(partsOf(answerText, before, sources), { calls, reasoning }), calls };
}

/**
 * Ends a text answer in one unit: as succeeded by way of `storing`, or as failed or canceled with
 * the partial answer.
 */
async function endAnswer(
  deps: EngineDeps,
  inHand: InHand,
  request: RunRequest,
  {
    received,
    log,
    error,
    rest,
  }: { received: ReceivedParts; log: RunLog; error: unknown; rest: Rest | undefined },
  giveUp: AbortSignal,
): Promise<void> {
  const usage =
    received.finish?.usage ??
    (inHand.run.task === "chat" ? estimateUsage(request, log.said, inHand.wire.used) : {});
  const before = await readWithRetry(deps, giveUp, () => continuedParts(deps, inHand.run));
  const kept =
    error === undefined
      ? nothingIngested
      : await savePartialFiles(deps, inHand, filesOf(inHand, received, log), giveUp);
  const cancelled = inHand.stopped.reason === "cancel";
  const succeeded = error === undefined;
  const outcome: Outcome = {
    steps: succeeded
      ? [toStoring(log), { type: "stored" }]
      : [{ type: cancelled ? "cancelled" : "failed" }],
    parts: withCalls(partsOf(log.said, before, received.sources), received),
    ...(succeeded && { calls: received.calls }),
    interrupted: !succeeded,
    assets: kept.assets,
    lost: kept.lost.map(({ index }) => index),
    result: received.finish ? textResult(received.finish, received.calls) : null,
    usage,
    costMicros: costOf(inHand, received.finish ?? { usage }),
    error: succeeded || cancelled ? null : toRunError(error, inHand.run.connectionId),
    warnings: [...inHand.warnings, ...kept.warnings],
    attempt: { state: "ended", ...attemptFacts(inHand) },
    ...(rest && { rest }),
  };
  await persist(deps, giveUp, (unit) => settleRun(unit, deps, inHand.run, outcome));
}

/** The result that a run stores besides the answer's text. */
const textResult = (
  { result, reason }: NonNullable<ReceivedParts["finish"]>,
  calls: readonly ToolCall[],
): JsonObject => ({
  ...result,
  finishReason: reason,
  ...(calls.length > 0 && { toolCalls: calls.map(toJson) }),
});

/** The files of an answer. Text that no message stores, such as a transcript, is a file as well. */
const filesOf = ({ run }: InHand, received: ReceivedParts, log: RunLog): ProducedFile[] =>
  run.task !== "chat" && log.said.text !== ""
    ? [...received.files, transcriptOf(log.said.text)]
    : received.files;

/** A call as the run's result stores it, with the metadata that the provider requires back. */
const toJson = ({ type: _, ...call }: ToolCall): JsonObject => call;
/** The tool calls in a run's result. The reasoning that signed them isn't stored. */
export const callsIn = (result: JsonObject | null): ToolCall[] =>
  ((result?.toolCalls ?? []) as Omit<ToolCall, "type">[]).map((call) => ({
    type: "tool-call",
    ...call,
  }));

/**
 * The step to `storing`, from `running` if the answer has output, or from `submitting` if it has
 * none.
 */
const toStoring = (log: RunLog): RunStep => ({
  type: log.hasBegun() ? "provider-done" : "answered-whole",
});

export const transcriptName = "transcript.txt";
export const transcriptOf = (text: string): ProducedFile => ({
  name: transcriptName,
  mime: "text/plain",
  bytes: new TextEncoder().encode(text),
});

/** Stores the files that arrived with the answer, then settles the run with them. */
async function storeFiles(
  deps: EngineDeps,
  inHand: InHand,
  received: ReceivedParts,
  log: RunLog,
  giveUp: AbortSignal,
): Promise<void> {
  const { run } = inHand;
  const files = filesOf(inHand, received, log);
  const costMicros = costOf(inHand, received.finish);
  const before = await readWithRetry(deps, giveUp, () => continuedParts(deps, run));
  const { usage, result: made = { finishReason: received.finish?.reason ?? "stop" } } =
    received.finish ?? {
      usage: {},
    };
  const result =
    run.task === "chat" && received.finish ? textResult(received.finish, received.calls) : made;
  const sources = await persist(deps, giveUp, async (unit) => {
    const placed = await placeFiles(unit, inHand, files);
    await moveRun(unit, {
      runId: run.id,
      fence: run.fence,
      step: toStoring(log),
      // These values are lost in a crash unless they are written now.
      set: {
        cost_micros: costMicros,
        usage: JSON.stringify(usage),
        result: JSON.stringify(result),
      },
      events: [{ type: "run-storing", payload: { outputs: files.length } }],
    });
    return placed;
  });
  await settleFiles(
    deps,
    inHand,
    sources,
    {
      parts: withCalls(partsOf(log.said, before, received.sources), received),
      calls: received.calls,
      result,
      usage,
      costMicros,
    },
    giveUp,
  );
}
