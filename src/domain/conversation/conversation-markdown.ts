import type { ExportedHead, ExportedMessage } from "#contract/export/conversation.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  createClock,
  type ExportStyle,
  factsOf,
  feedbackLines,
  fileLine,
  problemLines,
  reasoningOf,
  reasoningTitle,
  sourcesOf,
  speakerOf,
  textOf,
  toolLines,
} from "./export-words.ts";

/** Keeps a title or a name from breaking a heading or a list item into several lines. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const quote = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
const list = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [lines.map((line) => `- ${oneLine(line)}`).join("\n")];

export function headToMarkdown(head: ExportedHead, style: ExportStyle, now: number): string {
  const { title, author, systemPrompt } = head;
  return toBlocks([
    `# ${oneLine(title) || sentences.exports.untitled}`,
    sentences.exports.by({ author: oneLine(author), at: createClock(style.timeZone)(now) }),
    ...(systemPrompt ? [`## ${sentences.exports.systemPrompt}`, quote(systemPrompt)] : []),
  ]);
}

/** Writes each message under its own heading, with its text unchanged. */
export function messagesToMarkdown(
  messages: readonly ExportedMessage[],
  style: ExportStyle,
): string {
  const clock = createClock(style.timeZone);
  return messages
    .map((message) => {
      const { parts, files, role } = message;
      const reasoning = reasoningOf(parts);
      const answering = role === "assistant" ? message.runs[0] : undefined;
      return toBlocks([
        ...(role === "tool"
          ? list(toolLines(message, style))
          : [
              `## ${oneLine(speakerOf(message, style))}`,
              [clock(message.createdAt), ...factsOf(answering, style)].join(" · "),
            ]),
        ...(reasoning ? [`**${reasoningTitle(parts)}**`, quote(reasoning)] : []),
        textOf(parts).trim(),
        ...(files.length > 0 ? [`**${sentences.exports.files}**`] : []),
        ...list(files.map(fileLine)),
        ...(sourcesOf(parts).length > 0 ? [`**${sentences.exports.sources}**`] : []),
        ...list(sourcesOf(parts).map(({ title, url }) => (url ? `${title} <${url}>` : title))),
        ...problemLines(message).map((line) => `*${oneLine(line)}*`),
        ...list(feedbackLines(message)),
      ]);
    })
    .join("");
}

const toBlocks = (blocks: readonly string[]): string =>
  blocks
    .filter((block) => block !== "")
    .map((block) => `${block}\n\n`)
    .join("");
