/** The items of word lists, by folded name (`foldListName`). */
export type WordLists = ReadonlyMap<string, readonly string[]>;

/** One prompt of a template, with the value chosen at each of its places, in order. */
type ExpandedPrompt = { prompt: string; values: string[] };

export type Expansion = {
  /** The number of prompts; Infinity beyond the range of numbers. */
  count: number;
  /** The number of places with a choice. Each prompt has as many values. */
  places: number;
  /** The length of the longest possible prompt, in characters. */
  longest: number;
  /** Whether the seed makes a choice. */
  usesSeed: boolean;
  /** The names of unknown lists, which stay in the text as typed. */
  missing: string[];
  /** Whether a choice has no closing brace; it stays in the text as typed. */
  isUnclosed: boolean;
  /** Whether a choice can be empty. */
  hasEmpty: boolean;
  at(index: number, seed: number): ExpandedPrompt;
};

type Node = string | { options: Node[][]; isBySeed: boolean } | { list: string };

/** A list's name, as typed between two underscores on each side. */
export const listNamePattern = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]|_(?!_|$)){0,59}$/u;
const listInText = /__([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]|_(?!_)){0,59})__/uy;
export const foldListName = (name: string): string => name.normalize("NFC").toLowerCase();

/** Deeper groups are plain text: nobody writes them, and each costs a recursive call. */
const deepest = 32;

/**
 * Expands a template. `{a|b}` and `__list__` stand for each of their texts, `{?a|b}` for one chosen
 * by the seed, including everything inside it. Braces without a choice, unclosed braces and unknown
 * lists stay as typed, and so does a prompt that is JSON. A backslash before a brace, a bar or two
 * underscores makes them text.
 */
export function expandPrompt(template: string, lists: WordLists = new Map()): Expansion {
  const found: Found = { missing: new Set(), isUnclosed: false, hasEmpty: false };
  const nodes = isJson(template) ? [template] : parse(template, lists, found);
  return {
    count: countOf(nodes, lists),
    places: nodes.filter((node) => typeof node !== "string").length,
    longest: longestOf(nodes, longestItems(lists)),
    usesSeed: usesSeed(nodes),
    ...found,
    missing: [...found.missing],
    at: (index, seed) => new Choice(lists, index, seed).of(nodes),
  };
}

/** The template that stands for exactly this text, which usually is the text itself. */
export function asTemplate(text: string): string {
  const { count, usesSeed, missing, at } = expandPrompt(text);
  const isItself = count === 1 && !usesSeed && missing.length === 0 && at(0, 0).prompt === text;
  return isItself ? text : text.replace(/[{}|]|__/g, (mark) => `\\${mark}`);
}

/** The names of the lists that a template uses, as typed. */
export function listsIn(template: string): string[] {
  const found: Found = { missing: new Set(), isUnclosed: false, hasEmpty: false };
  if (!isJson(template)) parse(template, new Map(), found);
  return [...found.missing];
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The position of each opening brace's closing brace, and whether an unclosed one has a bar. */
function pairsIn(text: string): { pairs: Map<number, number>; isUnclosed: boolean } {
  const pairs = new Map<number, number>();
  const open: { start: number; hasBar: boolean }[] = [];
  for (let at = 0; at < text.length; at++) {
    const last = open.at(-1);
    if (escapedAt(text, at)) at++;
    else if (text[at] === "{") open.push({ start: at, hasBar: false });
    else if (last && text[at] === "|") last.hasBar = true;
    else if (last && text[at] === "}") {
      pairs.set(last.start, at);
      open.pop();
    }
  }
  return { pairs, isUnclosed: open.some(({ hasBar }) => hasBar) };
}

/** The text that a backslash escapes; empty if the backslash is literal. */
function escapedAt(text: string, at: number): string {
  if (text[at] !== "\\") return "";
  if (text.startsWith("__", at + 1)) return "__";
  const next = text[at + 1] ?? "";
  return "{}|".includes(next) ? next : "";
}

/** The problems of a template, shown to the person. */
type Found = Pick<Expansion, "isUnclosed" | "hasEmpty"> & { missing: Set<string> };

function parse(text: string, lists: WordLists, found: Found): Node[] {
  const { pairs, isUnclosed } = pairsIn(text);
  found.isUnclosed = isUnclosed;
  const isTooDeep = depthOf(pairs) > deepest;

  /** Reads the options between two positions, split at the bars of this level if `hasBars`. */
  function read(from: number, to: number, hasBars: boolean): Node[][] {
    const options: Node[][] = [[]];
    const add = (node: Node) => {
      const option = options.at(-1)!;
      const before = option.at(-1);
      if (typeof node === "string" && typeof before === "string")
        option[option.length - 1] = before + node;
      else if (node !== "") option.push(node);
    };
    for (let at = from; at < to; at++) {
      const escaped = escapedAt(text, at);
      const end = pairs.get(at);
      if (escaped) {
        add(escaped);
        at += escaped.length;
      } else if (end !== undefined && !isTooDeep) {
        for (const node of group(at, end)) add(node);
        at = end;
      } else if (hasBars && text[at] === "|") options.push([]);
      else {
        listInText.lastIndex = at;
        const match = text.startsWith("__", at) ? listInText.exec(text) : null;
        if (match && at + match[0].length <= to) {
          const [typed, name = ""] = match;
          const folded = foldListName(name);
          if (lists.has(folded)) add({ list: folded });
          else {
            found.missing.add(name);
            add(typed);
          }
          at += typed.length - 1;
        } else add(text[at]!);
      }
    }
    return options;
  }

  function group(start: number, end: number): Node[] {
    const isBySeed = text[start + 1] === "?";
    const from = start + (isBySeed ? 2 : 1);
    const options = read(from, end, true);
    const isChoice =
      options.length > 1 || (isBySeed && options[0]!.some((node) => typeof node !== "string"));
    if (isChoice && options.some(isBlank)) found.hasEmpty = true;
    return isChoice
      ? [{ options, isBySeed }]
      : [text.slice(start, from), ...options[0]!, text[end]!];
  }

  return read(0, text.length, false)[0]!;
}

const isBlank = (option: readonly Node[]): boolean =>
  option.every((node) => typeof node === "string" && node.trim() === "");

function depthOf(pairs: ReadonlyMap<number, number>): number {
  const ends: number[] = [];
  let most = 0;
  for (const [start, end] of [...pairs].sort(([a], [b]) => a - b)) {
    while (ends.length > 0 && ends.at(-1)! < start) ends.pop();
    ends.push(end);
    most = Math.max(most, ends.length);
  }
  return most;
}

const countOf = (nodes: readonly Node[], lists: WordLists): number =>
  nodes.reduce<number>((product, node) => product * countOfNode(node, lists), 1);

function countOfNode(node: Node, lists: WordLists): number {
  if (typeof node === "string") return 1;
  if ("list" in node) return lists.get(node.list)?.length ?? 1;
  if (node.isBySeed) return 1;
  return node.options.reduce((sum, option) => sum + countOf(option, lists), 0);
}

/** Computed once per list, because a template may use it many times. */
const longestItems = (lists: WordLists): ReadonlyMap<string, number> =>
  new Map([...lists].map(([name, items]) => [name, mostOf(items, ({ length }) => length)]));

const mostOf = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((most, one) => Math.max(most, of(one)), 0);

const longestOf = (nodes: readonly Node[], items: ReadonlyMap<string, number>): number =>
  nodes.reduce<number>((sum, node) => {
    if (typeof node === "string") return sum + node.length;
    if ("list" in node) return sum + (items.get(node.list) ?? 0);
    return sum + mostOf(node.options, (option) => longestOf(option, items));
  }, 0);

const usesSeed = (nodes: readonly Node[]): boolean =>
  nodes.some(
    (node) =>
      typeof node !== "string" &&
      "options" in node &&
      (node.isBySeed || node.options.some(usesSeed)),
  );

/** One path through a template. The last place changes first. */
class Choice {
  readonly #lists: WordLists;
  readonly #seed: number;
  #rest: number;
  #picked = 0;

  constructor(lists: WordLists, index: number, seed: number) {
    this.#lists = lists;
    this.#rest = index;
    this.#seed = seed;
  }

  of(nodes: readonly Node[]): ExpandedPrompt {
    const texts = this.#all(nodes, false);
    const values = nodes.flatMap((node, i) => (typeof node === "string" ? [] : [texts[i]!]));
    return { prompt: texts.join(""), values };
  }

  #all(nodes: readonly Node[], isBySeed: boolean): string[] {
    // From the right, in the order in which a number's digits are taken off.
    const texts = [...nodes].reverse().map((node) => this.#text(node, isBySeed));
    return texts.reverse();
  }

  #text(node: Node, isBySeed: boolean): string {
    if (typeof node === "string") return node;
    if ("list" in node) {
      const items = this.#lists.get(node.list) ?? [""];
      return items[isBySeed ? this.#pick(items.length) : this.#next(items.length)] ?? "";
    }
    const { options } = node;
    if (isBySeed || node.isBySeed)
      return this.#all(options[this.#pick(options.length)] ?? [], true).join("");
    let place = this.#next(options.reduce((sum, option) => sum + countOf(option, this.#lists), 0));
    for (const option of options) {
      const size = countOf(option, this.#lists);
      if (place < size) {
        const outer = this.#rest;
        this.#rest = place;
        const text = this.#all(option, false).join("");
        this.#rest = outer;
        return text;
      }
      place -= size;
    }
    return "";
  }

  /** Takes the last digit, in base `size`. */
  #next(size: number): number {
    const digit = this.#rest % size;
    this.#rest = Math.floor(this.#rest / size);
    return digit;
  }

  /** Deterministic for a seed and position, and uniformly distributed. */
  #pick(size: number): number {
    let mixed =
      ((this.#seed % 2 ** 32) ^ Math.floor(this.#seed / 2 ** 32)) + ++this.#picked * 0x9e3779b9;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % size;
  }
}
