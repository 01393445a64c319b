/**
 * The words of the interface and the manual: no private words, every message used, curly quotes and no semicolons on screen, and
 * states of a run named by `contract/run-states.ts` alone.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runStateWords } from "../src/contract/run-states.ts";
import { en } from "../src/web/messages/en.ts";
import { root } from "./environment.mjs";

/** Each pattern with what to write instead. Context keeps the common uses apart: "command line", "LoRA weight". */
const PRIVATE_WORDS = [
  [/\banew\b/i, "again, or name the act: retry, refresh, restart"],
  [/\bbegun\b/i, "started, or partial"],
  [/\b(?:who|what|which)(?:so)?ever\b/i, "a noun: the person, the model, any"],
  [/\bsurely\b/i, "certain, or leave it out"],
  [/(?<!--)\bmend(?:s|ed|ing)?\b/i, "fix, repair, restore"],
  [/\bbeside\b/i, "next to, as well as"],
  [/\b(?:waits?|asks?) for (?:a|your|his|their|\w+’s) word\b|\ba person[’']s word\b/i, "approval"],
  [/\bwhat (?:came|comes) of\b|\bnothing came of\b/i, "results"],
  [/\b(?:is|are) there, and\b|^… is there$/i, "name the change: Added {name}"],
  [/\bgo(?:es)? on (?:with|from)\b|^go on$/i, "approve, resume or continue"],
  [/\btakes? \S+ (?:away|out)\b/i, "remove"],
  [/\bof one[’']s own\b|\bof (?:whose|who) it is\b/i, "your own, personal"],
  [/\bnobody and nothing\b|\bwho and what\b/i, "name both"],
  [/\bwhat is said of\b/i, "the rule, the setting"],
];

/** What people read before they read code. */
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "docs/{glossary,operating}.md",
  "docs/{how-to,manual}/*.md",
];

/** Of the catalog alone, where each sentence is short and read without its neighbors. */
const ON_SCREEN = [
  [/\btold\b/i, "notified, sent"],
  [/\bstands?\b(?! for)/i, "is, appears"],
  [/(?<!lora )\bweight\b/i, "file size"],
  [/(?<!command )\bline\b(?! …)/i, "connection"],
  [/\b(?:keeps?|kept)\b/i, "saved; keep and reject are the marks of a result"],
  [/\bholds?\b|\bheld\b/i, "reserved, applies, contains"],
  [/\be-mail\b/i, "email"],
  [/\bId\b/, "ID"],
  [/\d %/, "80%"],
  [
    /(?:colour|favour|harbour|grey|\w+is(?:e|ed|ing|ation)\b(?<!otherwise|precise|advise|raise|promise|exercise|rise))/i,
    "American spelling",
  ],
];

/** Messages that a pattern refuses and that are right. */
const ALLOWED = {
  "bills.lines": "the lines of an invoice",
  "shape.wrong.jsonLine": "a line of text",
  "shape.wrong.schemaLine": "a line of text",
  "library.view.kept": "the mark of a result",
  "library.filter.kept": "the mark of a result",
  "library.empty.kept": "the mark of a result",
  "library.empty.kept.text": "the mark of a result",
  "selection.keep": "the mark of a result",
  "selection.kept": "the mark of a result",
  "asset.keep": "the mark of a result",
  "keys.scope.assets:write.hint": "the mark of a result",
  "webhooks.event.asset.kept": "the mark of a result",
  "webhooks.told.asset.kept": "the mark of a result",
  "create.crop.hint": "a key that is pressed",
  "selection.zipMost": "what fits into an archive",
};

/** States may share a word with another thing of the screen. */
const STATE_WORDS_ELSEWHERE = {
  "activity.filter.unconfirmed": "a filter of that state",
  "usage.unconfirmed": "a sum of that state",
  "run.event.run-queued": "an event of the log",
  "run.event.run-running": "an event of the log",
  "webhooks.delivery.given-up": "the state of a delivery",
  "ui.done": "a button that closes",
};

/** The text of an ICU message without the names of its values and of its cases. */
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

const found = [...privateWords(), ...marks(), ...unused(), ...states(), ...privateWordsOfPages()];
for (const line of found) console.log(line);
process.exitCode = found.length === 0 ? 0 : 1;
