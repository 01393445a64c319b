import katex from "katex";
import "katex/dist/katex.css";

/**
 * Sets a formula into an element, in a chunk of its own. KaTeX's `render` makes nodes and sets their styles through the DOM;
 * its strings carry style attributes, which the page's policy refuses. False where the source is no TeX.
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
