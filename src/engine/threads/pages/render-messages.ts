import type { ExportedMessage } from "#contract/export/conversation.ts";
import { messagesToHtml } from "#domain/conversation/conversation-page.ts";
import type { ExportPaths, ExportStyle } from "#domain/conversation/export-words.ts";

export type PageTask = {
  messages: readonly ExportedMessage[];
  style: ExportStyle;
  paths: ExportPaths;
};

/** Some messages of an exported page. @throws RangeError for text that is nested deeper than the stack */
export const renderMessages = ({ messages, style, paths }: PageTask): string =>
  messagesToHtml(messages, style, paths);

/** The same with its texts as they were written, which takes no time. */
export const renderPlain = ({ messages, style, paths }: PageTask): string =>
  messagesToHtml(messages, style, paths, true);
