/**
 * The tags by which browsers recognize HTML:
 * https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
 */
const htmlStart =
  /^(?:<!doctype html|<html|<head|<script|<iframe|<h1|<div|<font|<table|<a|<style|<title|<b|<body|<br|<p)[\s>/]|^<!--/i;

/** Formats that begin as text but aren't text files; their own signature decides. */
const notText = /^(?:%PDF-|\{\\rtf|%!PS)/;

const byName: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/json",
  gltf: "model/gltf+json",
  obj: "model/obj",
  html: "text/html",
  htm: "text/html",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
};

/**
 * The type of a text; undefined if it isn't UTF-8 text. `named` is the file extension, lowercase,
 * without its dot.
 */
export function sniffText(head: Uint8Array, named: string): string | undefined {
  const text = decode(head);
  if (text === undefined || notText.test(text)) return undefined;
  const start = text.trimStart();
  if (start.startsWith("<?xml") || start.startsWith("<!--") || start.startsWith("<!DOCTYPE svg"))
    return markupType(text);
  if (/^<(?:[a-z]+:)?svg[\s>/]/i.test(start)) return "image/svg+xml";
  if (htmlStart.test(start)) return "text/html";
  if (start.startsWith("WEBVTT")) return "text/vtt";
  if (/^ply\r?\n/.test(text)) return "model/ply";
  if (/^solid\s/.test(text) && /\n\s*facet\s/.test(text)) return "model/stl";
  if (Object.hasOwn(byName, named)) return byName[named];
  return /^[[{]/.test(start) ? jsonType(text) : "text/plain";
}

/** For markup that begins with a declaration or a comment, the first real element decides. */
function markupType(text: string): string {
  const bare = text.replace(
    /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi,
    "",
  );
  const root = /<(?:[A-Za-z0-9]+:)?([A-Za-z0-9]+)/.exec(bare)?.[1]?.toLowerCase();
  if (root === "svg") return "image/svg+xml";
  if (/^\s*<\?xml/.test(text)) return root === "html" ? "application/xhtml+xml" : "application/xml";
  return "text/html";
}

/**
 * A text is JSON if it parses. A file longer than the sniffed part doesn't parse, so it is JSON
 * only by its name.
 */
function jsonType(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isGltf =
      typeof value === "object" &&
      value !== null &&
      "asset" in value &&
      ("scenes" in value || "meshes" in value);
    return isGltf ? "model/gltf+json" : "application/json";
  } catch {
    return "text/plain";
  }
}

/**
 * Decodes UTF-8 without control characters, whose last character may be cut off; undefined for
 * anything else.
 */
function decode(head: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what tells bytes from text
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
