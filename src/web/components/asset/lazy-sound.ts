import { lazyPart } from "../../ui/lazy-part.ts";

/** The sound player with its texts, loaded lazily because few results are sounds. */
export const SoundPlayer = lazyPart(
  () => import("./sound-player.tsx").then(({ SoundPlayer }) => SoundPlayer),
  "asset",
);
