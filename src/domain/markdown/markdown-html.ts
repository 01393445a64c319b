import { decodeHTMLStrict } from "entities/decode";
import { Lexer, Marked, type MarkedToken, type Token, type Tokens } from "marked";
import { type Html, html } from "./html.ts";
import { type MathsToken, mathsSyntax } from "./maths-syntax.ts";
import { safeLink } from "./safe-link.ts";

const { defaults } = new Marked({ extensions: mathsSyntax, gfm: true });

/**
 * Renders a model's text as HTML for a page without scripts. The lexer's tokens become our own
 * elements: HTML in the text is shown as text, links lead only to http(s) and mailto, and pictures
 * become links, because the page must not load anything external. Formulas are shown as written.
 */
export function markdownToHtml(text: string): Html {
  return blocks(new Lexer(defaults).lex(text));
}

/** The unformatted text, if it can't be rendered. */
export const plainToHtml = (text: string): Html => html`<pre class="plain">${text}</pre>`;

const blocks = (tokens: readonly Token[]): Html => html`${tokens.map(block)}`;

function block(generic: Token): Html {
  if (generic.type === "maths") return maths(generic as MathsToken);
  const token = generic as MarkedToken;
  switch (token.type) {
    case "paragraph":
      return html`<p>${inline(token.tokens)}</p>\n`;
    case "text":
      return inline(token.tokens ?? [token]);
    case "heading":
      // Keeps headings below the message's own.
      return token.depth > 2
        ? html`<h4>${inline(token.tokens)}</h4>\n`
        : html`<h3>${inline(token.tokens)}</h3>\n`;
    case "code":
      return html`<pre><code>${token.text}</code></pre>\n`;
    case "list":
      return list(token);
    case "blockquote":
      return html`<blockquote>${blocks(token.tokens)}</blockquote>\n`;
    case "table":
      return table(token);
    case "hr":
      return html`<hr>\n`;
    case "html":
      return html`<p>${token.raw.trim()}</p>\n`;
    case "space":
    case "def":
      return html``;
    default:
      return inline([token]);
  }
}

function list({ ordered, start, items }: Tokens.List): Html {
  const lines = items.map((item) => {
    const mark = item.task ? (item.checked ? "☑ " : "☐ ") : "";
    const tokens = item.tokens.filter(({ type }) => type !== "checkbox");
    return html`<li>${mark}${blocks(tokens)}</li>\n`;
  });
  if (!ordered) return html`<ul>${lines}</ul>\n`;
  return html`<ol start="${Number(start) || 1}">${lines}</ol>\n`;
}

function table({ header, rows }: Tokens.Table): Html {
  const side = ({ align }: Tokens.TableCell) => align ?? "left";
  return html`<table><thead><tr>${header.map(
    (cell) => html`<th class="${side(cell)}">${inline(cell.tokens)}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell) => html`<td class="${side(cell)}">${inline(cell.tokens)}</td>`)}</tr>\n`,
  )}</tbody></table>\n`;
}

const inline = (tokens: readonly Token[]): Html => html`${tokens.map(inlineToken)}`;

function inlineToken(generic: Token): Html {
  if (generic.type === "maths") return maths(generic as MathsToken);
  const token = generic as MarkedToken;
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : html`${decodeHTMLStrict(token.text)}`;
    case "escape":
      return html`${token.text}`;
    case "strong":
      return html`<strong>${inline(token.tokens)}</strong>`;
    case "em":
      return html`<em>${inline(token.tokens)}</em>`;
    case "del":
      return html`<del>${inline(token.tokens)}</del>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "br":
      return html`<br>`;
    case "link":
      return linkTo(
        token.autolink ? token.href : decodeHTMLStrict(token.href),
        inline(token.tokens),
      );
    case "image":
      return linkTo(decodeHTMLStrict(token.href), html`${token.text || "picture"}`);
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? html`<br>` : html`${token.raw}`;
    default:
      return html`${token.raw}`;
  }
}

export function linkTo(href: string, label: Html): Html {
  const safe = safeLink(href);
  return safe ? html`<a href="${safe}" rel="noopener noreferrer nofollow">${label}</a>` : label;
}

const maths = ({ tex, isBlock }: MathsToken): Html =>
  isBlock ? html`<pre class="tex">${tex}</pre>\n` : html`<code class="tex">${tex}</code>`;
