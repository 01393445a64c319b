import { type ComponentType, lazy, useEffect, useState } from "react";
import { loadArea } from "../../../messages/areas.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { ToolRoundProps } from "./tool-round.tsx";

let here: ComponentType<ToolRoundProps> | undefined;

/** What draws the rounds of tools, with its texts. */
async function loadTools(): Promise<ComponentType<ToolRoundProps>> {
  const [{ ToolRound }] = await Promise.all([import("./tool-round.tsx"), loadArea("tools")]);
  here = ToolRound;
  return ToolRound;
}
const LazyToolRound = lazy(async () => ({ default: await loadTools() }));

/** Loads it when it is wanted. @returns whether it is here, or will not come, which is then said in its place */
export function useTools(isWanted: boolean): boolean {
  const [isHere, setHere] = useState(here !== undefined);
  useEffect(() => {
    const onEnd = () => setHere(true);
    if (isWanted && !isHere) loadTools().then(onEnd, onEnd);
  }, [isWanted, isHere]);
  return isHere;
}

/** Drawn at once where its code is here: a lazy part would show its fallback first, and React leaves that for 300 ms. */
export function ToolRound(props: ToolRoundProps) {
  const [Shown] = useState(() => here ?? LazyToolRound);
  return <Shown {...props} />;
}

export const AnswerParts = lazyPart(
  () => import("../answer/answer-parts.tsx").then(({ AnswerParts }) => AnswerParts),
  "tools",
);
