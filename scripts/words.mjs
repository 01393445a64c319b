/**
 * The words of the interface, the server, the API's descriptions and the manual: no private words,
 * every message used, curly quotes and no semicolons on screen, run states named only by
 * `contract/run-states.ts`, and the server's sentences only in `contract/sentences`.
 */
import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { errors } from "../src/contract/errors.ts";
import { routes } from "../src/contract/routes/index.ts";
import { runStateWords } from "../src/contract/run-states.ts";
import { sentences } from "../src/contract/sentences/index.ts";
import * as areas from "../src/web/messages/en.ts";
import { root } from "./environment.mjs";

/** @type {Record<string, string>} */
const en = Object.assign({}, ...Object.values(areas));

/**
 * Each pattern with its replacement. Context excludes common uses: "command line", "LoRA weight".
 */
const PRIVATE_WORDS = [
  [/\banew\b/i, "again, or name the act: retry, refresh, restart"],
  [/\bbegun\b/i, "started, or partial"],
  [/\b(?:who|what|which)(?:so)?ever\b/i, "a noun: the person, the model, any"],
  [/\bsurely\b/i, "certain, or leave it out"],
  [/(?<!--)\bmend(?:s|ed|ing)?\b/i, "fix, repair, restore"],
  [/(?<!--)\bbeside\b(?!-)/i, "next to, as well as, compared with"],
  [/\b(?:waits?|asks?) for (?:a|your|his|their|\w+’s) word\b|\ba person[’']s word\b/i, "approval"],
  [/\bwhat (?:came|comes) of\b|\bnothing came of\b/i, "results"],
  [/\b(?:is|are) there, and\b|^… is there$/i, "name the change: Added {name}"],
  [/\bgo(?:es)? on (?:with|from)\b|^go on$/i, "approve, resume or continue"],
  [/\btakes? \S+ (?:away|out)\b/i, "remove"],
  [/\bof one[’']s own\b|\bof (?:whose|who) it is\b/i, "your own, personal"],
  [/\bnobody and nothing\b|\bwho and what\b/i, "name both"],
  [/\bwhat is said of\b/i, "the rule, the setting"],
];

/** The pages that people read before the code. */
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "docs/*.md",
  "docs/{decisions,providers,spec}/*.md",
  "docs/how-to/*.md",
  "docs/manual/**/*.md",
];

/** Only in the catalogs, where each sentence is short and read on its own. */
const IN_CATALOGS = [
  [/\btold\b/i, "notified, sent"],
  [/\bstands?\b(?! for)/i, "is, appears"],
  [/\be-mail\b/i, "email"],
  [/\bId\b/, "ID"],
  [/\d %/, "80%"],
  [
    /(?:colour|favour|harbour|grey|\w+is(?:e|ed|ing|ation)\b(?<!otherwise|precise|advise|raise|promise|exercise|rise))/i,
    "American spelling",
  ],
];

/**
 * Only on screen: the server also speaks of bytes, of lines of text and of files that hold
 * something.
 */
const ON_SCREEN = [
  ...IN_CATALOGS,
  [/(?<!lora )\bweight\b/i, "file size"],
  [/(?<!command )\bline\b(?! …)/i, "connection"],
  [/\b(?:keeps?|kept)\b/i, "saved; keep and reject are the marks of a result"],
  [/\bholds?\b|\bheld\b/i, "reserved, applies, contains"],
];

/** Messages that match a pattern but are correct. */
const ALLOWED = {
  "bills.lines": "the lines of an invoice",
  "shape.wrong.jsonLine": "a line of text",
  "shape.wrong.schemaLine": "a line of text",
  "palette.keys.composer.line": "a line of text",
  "library.view.kept": "the mark of a result",
  "library.filter.kept": "the mark of a result",
  "library.sort.pick.desc": "the mark of a result",
  "viewer.kept": "the mark of a result",
  "viewer.keepNext": "the mark of a result",
  "viewer.strip.item": "the mark of a result",
  "library.empty.kept": "the mark of a result",
  "library.empty.kept.text": "the mark of a result",
  "selection.keep": "the mark of a result",
  "selection.kept": "the mark of a result",
  "asset.keep": "the mark of a result",
  "keys.scope.assets:write.hint": "the mark of a result",
  "webhooks.event.asset.kept": "the mark of a result",
  "usage.keepers.rule": "the mark of a result",
  "usage.keepers.kept": "the mark of a result",
  "webhooks.told.asset.kept": "the mark of a result",
  "create.crop.hint": "a key that is pressed",
  "selection.zipMost": "what fits into an archive",
};

/** Messages of other things with the same word as a state. */
const STATE_WORDS_ELSEWHERE = {
  "activity.filter.unconfirmed": "a filter of that state",
  "usage.unconfirmed": "a sum of that state",
  "run.event.run-queued": "an event of the log",
  "run.event.run-running": "an event of the log",
  "webhooks.delivery.given-up": "the state of a delivery",
  "ui.done": "a button that closes",
};

/** A declaration's own texts, shown by the form next to it. */
const DECLARED =
  /(?:\b(?:hint|description|summary|keyHint|billKeyHint|what)|"[\w.]+"):\s*$|\b(?:pictureField|color|flag|share|header|failure)\((?:\s*"[^"]*",)?\s*$/;

/** Program errors and refused starts, which are read in the log or in the terminal. */
const THROWN = /\bnew \w*(?:Error|DOMException)\(\s*$/;

/** Files with sentences of their own. */
const SPEAKS_ITSELF = {
  "src/engine/plan/context/summary.ts": "what a model is asked for a summary",
  "src/engine/plan/title.ts": "what a model is asked for a title",
  "src/engine/plan/merge.ts": "what a model is asked to merge",
  "src/engine/send/request.ts": "what a model is asked to continue",
  "src/engine/tools/offer.ts": "how a tool is described to a model",
  "src/providers/builtin/guide/reply.ts": "the answers of the guide, which is a model",
  "src/providers/presets/preset.ts": "the hint of a field that a preset may replace",
  "src/server/openapi.ts": "the description of the API",
};

const ROOMS = "src/{server,engine,providers,store,blobs}/**/*.ts";
const SENTENCE = /(["`])((?:[“‘]?[A-Z]|fal |\$\{)[^"`\n]* [^"`\n]*[.?!])\1/g;

/** An ICU message's text without the names of its values and cases. */
const wordsOf = (text) =>
  text
    .replace(/\{\w+, (?:plural|select|selectordinal|number),?/g, " ")
    .replace(/\{\w+\}/g, "…")
    .replace(/[{}]/g, " ");

function privateWords() {
  return Object.entries(en).flatMap(([id, text]) => {
    if (ALLOWED[id]) return [];
    const words = wordsOf(text);
    return [...PRIVATE_WORDS, ...ON_SCREEN].flatMap(([pattern, instead]) => {
      const found = pattern.exec(words);
      return found ? [`${id}: "${found[0]}". Say ${instead}.`] : [];
    });
  });
}

function marks() {
  return Object.entries(en).flatMap(([id, text]) => [
    ...(/["']/.test(text) ? [`${id}: a straight quote. Write “ ” or ’.`] : []),
    ...(/;/.test(text) ? [`${id}: a semicolon. Write two sentences.`] : []),
  ]);
}

/** Ids are read as whole strings and as templates, such as `run.event.${type}`. */
function unused() {
  const source = globSync("src/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => !file.includes("messages/en") && !file.includes(".test."))
    .map((file) => readFileSync(join(root, file), "utf8").replace(/^ *(?:\/\/|\/?\*).*$/gm, ""))
    .join("\n");
  const whole = new Set(
    [...source.matchAll(/["'`]([a-z]\w*\.[\w.:-]+)["'`]/gi)].map(([, id]) => id),
  );
  const templates = [...source.matchAll(/`([a-z]\w*\.[^`\s]*\$\{[^`]*)`/gi)].map(
    ([, template]) =>
      new RegExp(
        `^${template
          .split(/\$\{[^}]*\}/)
          .map(RegExp.escape)
          .join(".+")}$`,
      ),
  );
  return Object.keys(en)
    .filter((id) => !whole.has(id) && !templates.some((template) => template.test(id)))
    .map((id) => `${id}: no source uses this message. Delete it.`);
}

function states() {
  const words = new Set(Object.values(runStateWords));
  return Object.entries(en)
    .filter(([id, text]) => words.has(text) && !STATE_WORDS_ELSEWHERE[id])
    .map(([id, text]) => `${id}: "${text}" is a state of a run. Use runStateText().`);
}

const wordsIn = (name, text, patterns) =>
  patterns.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text);
    return found ? [`${name}: "${found[0]}". Say ${instead}.`] : [];
  });

/** Replaces every parameter. */
const anything = new Proxy({}, { get: () => "…" });

/** Every sentence of the server, with its name. */
const said = Object.entries(sentences).flatMap(([area, entries]) =>
  Object.entries(entries).map(([id, sentence]) => [
    `sentences.${area}.${id}`,
    typeof sentence === "function" ? sentence(anything) : sentence,
  ]),
);

function sentencesOfTheServer() {
  const facts = Object.entries(errors).flatMap(([code, { text, advice }]) => [
    [`errors.${code}.text`, text],
    [`errors.${code}.advice`, advice],
  ]);
  const summaries = Object.entries(routes).map(([name, { summary }]) => [
    `routes.${name}.summary`,
    summary,
  ]);
  return [
    ...[...said, ...facts, ...summaries].flatMap(([name, text]) =>
      wordsIn(name, text, [...PRIVATE_WORDS, ...IN_CATALOGS]),
    ),
    ...said
      .filter(([, text]) => /'|;/.test(text))
      .map(([name]) => `${name}: ’ for ', no semicolon.`),
  ];
}

const withoutComments = (source) =>
  source.replace(/(?<=^|\s)\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) =>
    comment.replace(/[^\n]/g, ""),
  );

function sentencesOutside() {
  const used = [];
  const outside = globSync("src/**/*.ts", { cwd: root })
    .filter((file) => !file.includes(".test.") && !file.startsWith("src/contract/sentences"))
    .flatMap((file) => {
      const source = withoutComments(readFileSync(join(root, file), "utf8"));
      used.push(...source.matchAll(/\bsentences\s*\.\w+\s*\.\w+/g));
      if (!matchesGlob(file, ROOMS) || SPEAKS_ITSELF[file]) return [];
      return [...source.matchAll(SENTENCE)].flatMap(({ 2: text, index }) => {
        const before = source.slice(Math.max(0, index - 400), index);
        const isCode = !/[a-z]{3}/i.test(text.replace(/\$\{[^}]*\}/g, ""));
        if (isCode || DECLARED.test(before) || THROWN.test(before)) return [];
        const line = source.slice(0, index).split("\n").length;
        return [`${file}:${line}: "${text}". Put it into src/contract/sentences.`];
      });
    });
  const names = new Set(used.map(([name]) => name.replace(/\s/g, "")));
  const unread = said.filter(([name]) => !names.has(name)).map(([name]) => `${name}: unused.`);
  return [...outside, ...unread];
}

function privateWordsOfPages() {
  return globSync(PAGES, { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        PRIVATE_WORDS.flatMap(([pattern, instead]) => {
          const found = pattern.exec(line);
          return found ? [`${file}:${index + 1}: "${found[0]}". Say ${instead}.`] : [];
        }),
      ),
  );
}

const found = [
  ...privateWords(),
  ...marks(),
  ...unused(),
  ...states(),
  ...sentencesOfTheServer(),
  ...sentencesOutside(),
  ...privateWordsOfPages(),
];
for (const line of found) console.log(line);
process.exitCode = found.length === 0 ? 0 : 1;
