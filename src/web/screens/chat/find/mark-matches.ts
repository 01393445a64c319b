import { foldLetters, foldWords } from "#domain/text/search-words.ts";

const highlightName = "found";
const blocks = "p,li,td,th,h1,h2,h3,h4,h5,h6,pre,div";

/** Text to search, with the position of each letter in the page. */
type Folded = { text: string; places: { node: Text; offset: number }[] };

/**
 * Highlights a search's matches in the rendered messages without changing the DOM, which React
 * owns. A browser without custom highlights only marks the message.
 * @returns a function that removes the highlights
 */
export function markMatches(column: HTMLElement, q: string): () => void {
  const pattern = patternOf(q);
  if (!pattern || !("highlights" in CSS)) return () => undefined;
  let frame: number | undefined;
  const mark = () => {
    frame = undefined;
    const messages = column.querySelectorAll<HTMLElement>("[data-message]");
    const ranges = [...messages].flatMap((message) => rangesIn(fold(message), pattern));
    CSS.highlights.set(highlightName, new Highlight(...ranges));
  };
  const observer = new MutationObserver(() => {
    frame ??= requestAnimationFrame(mark);
  });
  observer.observe(column, { childList: true, subtree: true, characterData: true });
  mark();
  return () => {
    observer.disconnect();
    if (frame !== undefined) cancelAnimationFrame(frame);
    CSS.highlights.delete(highlightName);
  };
}

/** Matches consecutive words like the server's search; the last word may be incomplete. */
export function patternOf(q: string): RegExp | undefined {
  const words = foldWords(q);
  return words.length === 0
    ? undefined
    : new RegExp(`(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}`, "gu");
}

function fold(message: HTMLElement): Folded {
  const folded: Folded = { text: "", places: [] };
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  let block: Element | null = null;
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    const own = node.parentElement?.closest(blocks) ?? null;
    const letters = foldLetters(node.data);
    if (own !== block) letters.unshift({ letter: " ", offset: 0 });
    block = own;
    for (const { letter, offset } of letters) {
      folded.text += letter;
      // A letter outside the basic plane takes two UTF-16 units.
      for (let unit = 0; unit < letter.length; unit++) folded.places.push({ node, offset });
    }
  }
  return folded;
}

function rangesIn({ text, places }: Folded, pattern: RegExp): Range[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: match }) => {
    const [from, to] = [places[index], places[index + match.length - 1]];
    if (!from || !to) return [];
    const range = new Range();
    range.setStart(from.node, from.offset);
    const last = String.fromCodePoint(to.node.data.codePointAt(to.offset) ?? 0);
    range.setEnd(to.node, to.offset + last.length);
    return [range];
  });
}
