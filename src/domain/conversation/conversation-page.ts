import type { ExportedFile, ExportedHead, ExportedMessage } from "#contract/export/conversation.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Html, html } from "../markdown/html.ts";
import { linkTo, markdownToHtml, plainToHtml } from "../markdown/markdown-html.ts";
import {
  createClock,
  type ExportPaths,
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

/**
 * Blocks scripts, external resources and forms. `file:` allows the page's files when it is opened
 * from disk.
 */
const policy = [
  "default-src 'none'",
  "img-src 'self' file:",
  "media-src 'self' file:",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Everything before the first message. */
export function pageStart(head: ExportedHead, style: ExportStyle, now: number): string {
  const title = head.title || sentences.exports.untitled;
  const at = createClock(style.timeZone)(now);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${styleSheet}
</head>
<body>
<main>
<header>
<h1 dir="auto">${title}</h1>
<p class="facts">${sentences.exports.by({ author: head.author, at })}</p>
${
  head.systemPrompt
    ? html`<section class="system"><h2>${sentences.exports.systemPrompt}</h2>${plainToHtml(head.systemPrompt)}</section>`
    : null
}
</header>
`.toString();
}

export const pageEnd = "</main>\n</body>\n</html>\n";

/** @param isPlain shows texts unformatted, for texts that can't be rendered */
export function messagesToHtml(
  messages: readonly ExportedMessage[],
  style: ExportStyle,
  paths: ExportPaths,
  isPlain = false,
): string {
  const clock = createClock(style.timeZone);
  const set = isPlain ? plainToHtml : markdownToHtml;
  return html`${messages.map((message) => article(message, style, paths, clock, set))}`.toString();
}

function article(
  message: ExportedMessage,
  style: ExportStyle,
  paths: ExportPaths,
  clock: (at: number) => string,
  set: (text: string) => Html,
): Html {
  const { parts, files, role } = message;
  const reasoning = reasoningOf(parts);
  const text = textOf(parts);
  const sources = sourcesOf(parts);
  const facts = role === "assistant" ? factsOf(message.runs[0], style) : [];
  return html`<article class="${role}">
${
  role === "tool"
    ? toolLines(message, style).map((line) => html`<p class="facts">${line}</p>`)
    : html`<h2 dir="auto">${speakerOf(message, style)}</h2>
<p class="facts">${[clock(message.createdAt), ...facts].join(" · ")}</p>`
}
${
  reasoning
    ? html`<details><summary>${reasoningTitle(parts)}</summary><div dir="auto">${set(reasoning)}</div></details>`
    : null
}
${text ? html`<div class="text" dir="auto">${role === "user" ? plainToHtml(text) : set(text)}</div>` : null}
${files.map((file) => fileToHtml(file, paths))}
${
  sources.length > 0
    ? html`<section class="sources"><h3>${sentences.exports.sources}</h3><ol>${sources.map(
        ({ title, url }) => html`<li>${linkTo(url ?? "", html`${title}`)}</li>`,
      )}</ol></section>`
    : null
}
${problemLines(message).map((line) => html`<p class="note">${line}</p>`)}
${feedbackLines(message).map((line) => html`<p class="facts">${line}</p>`)}
</article>
`;
}

const shownPictures = /^image\/(png|apng|jpeg|webp|gif|avif)$/;

function fileToHtml(file: ExportedFile, paths: ExportPaths): Html {
  const path = paths[file.assetId];
  if (file.name === null) return html`<p class="note">${sentences.exports.fileGone}</p>`;
  if (!path) return html`<p class="note">${sentences.exports.fileMissing({ name: file.name })}</p>`;
  const address = path.split("/").map(encodeURIComponent).join("/");
  if (shownPictures.test(file.mime ?? ""))
    return html`<figure><img src="${address}" alt="${file.name}"><figcaption>${file.name}</figcaption></figure>\n`;
  if (file.mime?.startsWith("audio/"))
    return html`<figure><audio controls preload="none" src="${address}"></audio><figcaption>${file.name}</figcaption></figure>\n`;
  if (file.mime?.startsWith("video/"))
    return html`<figure><video controls preload="metadata" src="${address}"></video><figcaption>${file.name}</figcaption></figure>\n`;
  return html`<p class="file"><a href="${address}" download>${fileLine(file)}</a></p>\n`;
}

const styleSheet = html`<style>
:root { --paper: #fdfcfa; --ink: #23201d; --ink-2: #6b645c; --line: #e2ddd6; --soft: #f3f0eb; --accent: #9c4a25; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #191714; --ink: #ece7e0; --ink-2: #a39a8f; --line: #37322c; --soft: #24211d; --accent: #e0905f; }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font: 500 1.75rem/1.25 Georgia, serif; margin: 0 0 .25rem; }
h2 { font-size: 1rem; line-height: 1.4; margin: 0; }
h3, h4 { font-size: 1.05rem; line-height: 1.4; margin: 1.1em 0 .4em; }
h4 { font-size: .95rem; }
p, ul, ol, pre, table, blockquote, figure { margin: .6em 0; }
article { padding: 1.25rem 0 .5rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
header { padding-bottom: 1rem; }
.facts, figcaption, .file { color: var(--ink-2); font-size: .8125rem; margin: .1em 0 .6em; }
.user .text { background: var(--soft); border-radius: .75rem; padding: .1rem .9rem; }
.note { color: var(--ink-2); font-style: italic; }
a { color: var(--accent); }
pre { background: var(--soft); border-radius: .5rem; padding: .7rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere; font: .8125rem/1.55 ui-monospace, monospace; tab-size: 2; }
pre.plain { background: none; padding: 0; font: inherit; }
code { font: .875em/1.4 ui-monospace, monospace; }
blockquote { border-left: 3px solid var(--line); padding-left: .9rem; color: var(--ink-2); }
table { border-collapse: collapse; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; vertical-align: top; }
.left { text-align: left; } .center { text-align: center; } .right { text-align: right; }
img, video { max-width: 100%; max-height: 40rem; height: auto; border-radius: .375rem; }
figure { margin-inline: 0; }
summary { color: var(--ink-2); font-size: .875rem; cursor: pointer; }
hr { border: 0; border-top: 1px solid var(--line); }
@media print {
  @page { margin: 18mm 16mm; }
  :root { color-scheme: only light; }
  html { font-size: 10.5pt; background: #fff; }
  main { max-width: none; padding: 0; }
  h1, h2, h3, h4, .facts { break-after: avoid; }
  pre.plain, p, li { orphans: 3; widows: 3; }
  figure, tr, blockquote, pre:not(.plain) { break-inside: avoid; }
  thead { display: table-header-group; }
  img, video { max-height: 22cm; }
  .user .text, pre { border: 1px solid var(--line); }
  pre.plain { border: 0; }
  audio, video { display: none; }
  a { color: inherit; }
  .text a[href^="http"]::after, .sources a[href^="http"]::after { content: " (" attr(href) ")"; font-size: .85em; overflow-wrap: anywhere; }
}
</style>`;
