import { foldWords } from "#domain/text/search-words.ts";
import type { KindName } from "./kinds/index.ts";
import type { PaletteName } from "./palettes.ts";

const kindWords: Record<KindName, string> = {
  hills:
    "hill mountain peak valley ridge alp landscape sunset sunrise sky horizon cliff canyon volcano dune fuji forest woods tree pine garden jungle meadow field",
  arches:
    "arch arcade architecture building city town house window door gate bridge temple palace rainbow column quay boathouse church stone geometric shape poster",
  flow: "flow wind hair line wave smoke current swirl fur grain wood storm air river music feather dream abstract organic leaf fern",
  sea: "sea ocean water lake harbour harbor boat ship sail beach coast island tide shore bay lighthouse",
};

const paletteWords: Record<PaletteName, string> = {
  dusk: "dusk dawn evening sunset sunrise twilight warm",
  ocean: "ocean sea blue water marine azure navy cobalt",
  forest: "forest green wood moss pine olive jungle emerald",
  autumn: "autumn fall amber rust harvest brown chestnut october november pumpkin",
  rose: "rose pink blush cherry blossom romantic coral red wine",
  night: "night midnight moon star dark indigo galaxy space",
  mono: "mono monochrome black white grey gray charcoal ink graphite silver",
  desert: "desert sand terracotta clay dune adobe ochre sienna canyon",
  mint: "mint teal turquoise jade aqua spring fresh",
  meadow: "meadow yellow lemon summer gold sunny field lime honey",
  plum: "plum purple violet lavender lilac grape magenta",
  ember: "ember fire flame lava volcano scarlet orange crimson hot",
  harbour: "harbour harbor port quay boat ship lisbon letterpress vintage",
  ice: "ice snow winter frost cold glacier arctic pale",
};

const sparseWords = "calm quiet minimal empty simple sparse still lonely few airy";
const denseWords = "dense busy rich lush many crowded detailed wild full overgrown";

export type Density = "sparse" | "medium" | "dense";

/** Plurals match too: "hills", "arches". */
const sameWord = (spoken: string, known: string) =>
  spoken === known || spoken === `${known}s` || spoken === `${known}es`;

/**
 * Returns the entry with the most matching words; of equals, the one whose word comes first in the
 * prompt.
 */
function choose<Name extends string>(
  prompt: readonly string[],
  table: Record<Name, string>,
): Name | undefined {
  let best: { name: Name; count: number; first: number } | undefined;
  for (const [name, words] of Object.entries(table) as [Name, string][]) {
    const known = words.split(" ");
    const places = prompt.flatMap((spoken, index) =>
      known.some((word) => sameWord(spoken, word)) ? [index] : [],
    );
    if (places.length === 0) continue;
    const found = { name, count: places.length, first: places[0]! };
    if (
      !best ||
      found.count > best.count ||
      (found.count === best.count && found.first < best.first)
    )
      best = found;
  }
  return best?.name;
}

/** Returns the choices in a prompt's words; undefined for choices without a known word. */
export function readPrompt(prompt: string): {
  kind?: KindName;
  palette?: PaletteName;
  density?: Density;
} {
  const words = foldWords(prompt);
  const density = choose<Density>(words, { sparse: sparseWords, medium: "", dense: denseWords });
  return { kind: choose(words, kindWords), palette: choose(words, paletteWords), density };
}
