import type { MessagePart } from "#contract/entities.ts";
import type { ExportedFile, ExportedMessage, ExportedRun } from "#contract/export/conversation.ts";
import { sentences } from "#contract/sentences/index.ts";
import { formatDollars } from "../money/money.ts";

/** The author and time zone of an export, and whether it states the cost of each answer. */
export type ExportStyle = { author: string; timeZone: string; costs: boolean };
/** The path of each file in the export, by asset id; null if the file is no longer stored. */
export type ExportPaths = Readonly<Record<string, string | null>>;

/** "26 November 2026 at 18:35 UTC" */
export function createClock(timeZone: string): (at: number) => string {
  const options = { dateStyle: "long", timeStyle: "short" } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  } catch {
    format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  }
  const zone = format.resolvedOptions().timeZone;
  return (at) => `${format.format(at)} (${zone})`;
}

export const textOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
export const reasoningOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");

export function reasoningTitle(parts: readonly MessagePart[]): string {
  const ms = parts.find((part) => part.type === "reasoning")?.durationMs;
  return ms === undefined || ms < 100
    ? sentences.exports.reasoning
    : sentences.exports.reasonedFor({ seconds: (ms / 1000).toFixed(ms < 10_000 ? 1 : 0) });
}

/** The speaker of a message: the author or the model. */
export const speakerOf = (message: ExportedMessage, { author }: ExportStyle): string =>
  message.role === "user"
    ? author
    : (message.runs[0]?.model.name ?? sentences.exports.unknownModel);

/** "12 s", "612 tokens", "$0.011", for an answer or a tool. */
export function factsOf(run: ExportedRun | undefined, { costs }: ExportStyle): string[] {
  if (!run) return [];
  const { startedAt, finishedAt, outputTokens } = run;
  return [
    ...(startedAt !== null && finishedAt !== null
      ? [`${((finishedAt - startedAt) / 1000).toFixed(1)} s`]
      : []),
    ...(outputTokens === null ? [] : [sentences.exports.tokens({ count: outputTokens })]),
    ...(costs && finishedAt !== null ? [priceOf(run)] : []),
  ];
}

function priceOf({ costMicros, costBasis }: ExportedRun): string {
  if (costMicros === null || costMicros === undefined) return sentences.exports.priceUnknown;
  if (costMicros === 0) return sentences.exports.free;
  const price = formatDollars(costMicros);
  return costBasis === "estimated" || costBasis === "held"
    ? sentences.exports.about({ price })
    : price;
}

/** A line for each tool call, with its duration and cost. */
export const toolLines = (message: ExportedMessage, style: ExportStyle): string[] =>
  message.parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const run = message.runs.find(({ id }) => id === part.runId);
    const facts = run ? factsOf({ ...run, outputTokens: null }, style) : [];
    const line = sentences.exports.tool({
      name: part.name,
      state: sentences.exports.toolStates[part.state],
    });
    return [[line, ...facts].join(" · ")];
  });

/** Why a message is incomplete, or why no answer followed its tools. */
export const problemLines = ({ parts, state }: ExportedMessage): string[] => [
  ...parts.flatMap((part) => (part.type === "problem" ? [part.error.message] : [])),
  ...(state === "interrupted" ? [sentences.exports.interrupted] : []),
  ...(state === "streaming" ? [sentences.exports.streaming] : []),
];

/** "ada rated this answer good (accuracy, style): A clear table." */
export const feedbackLines = ({ feedback = [] }: ExportedMessage): string[] =>
  feedback.map(({ person, value, reasons, text }) => {
    const about = reasons.length > 0 ? ` (${reasons.join(", ")})` : "";
    const rated = `${sentences.exports.rated[value]({ person })}${about}`;
    return text ? `${rated}: ${text}` : `${rated}.`;
  });

export const sourcesOf = (parts: readonly MessagePart[]) =>
  parts.filter((part) => part.type === "source");

/** "tide.png (image/png, 1.2 MB)" */
export const fileLine = ({ name, mime, bytes }: ExportedFile): string =>
  name === null
    ? sentences.exports.fileGone
    : `${name} (${[mime, formatBytes(bytes ?? 0)].join(", ")})`;

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [unit, size] = bytes < 1024 ** 2 ? ["KB", 1024] : ["MB", 1024 ** 2];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
