import { lazyPart } from "../../ui/lazy-part.ts";

/** The player of a sound, with its texts: few results are one. */
export const SoundPlayer = lazyPart(
  () => import("./sound-player.tsx").then(({ SoundPlayer }) => SoundPlayer),
  "asset",
);
