import katex from "katex";
import "katex/dist/katex.css";

/**
 * Renders a formula into an element, in a separate chunk. KaTeX's `render` creates nodes and sets
 * styles through the DOM; its string output has style attributes, which the page's CSP refuses.
 * Returns false if the source isn't TeX.
 */
export function setMaths(place: HTMLElement, tex: string, isBlock: boolean): boolean {
  try {
    katex.render(tex, place, {
      displayMode: isBlock,
      throwOnError: true,
      strict: false,
      trust: false,
      maxSize: 40,
      maxExpand: 300,
    });
    return true;
  } catch {
    place.replaceChildren();
    return false;
  }
}
