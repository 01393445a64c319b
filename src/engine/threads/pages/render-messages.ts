import type { ExportedMessage } from "#contract/export/conversation.ts";
import { messagesToHtml } from "#domain/conversation/conversation-page.ts";
import type { ExportPaths, ExportStyle } from "#domain/conversation/export-words.ts";

export type PageTask = {
  messages: readonly ExportedMessage[];
  style: ExportStyle;
  paths: ExportPaths;
};

/**
 * Renders messages of an exported page.
 * @throws RangeError for text nested too deeply for the stack
 */
export const renderMessages = ({ messages, style, paths }: PageTask): string =>
  messagesToHtml(messages, style, paths);

/** Renders messages with their texts unformatted, which is always fast. */
export const renderPlain = ({ messages, style, paths }: PageTask): string =>
  messagesToHtml(messages, style, paths, true);
