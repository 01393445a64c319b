import { type ComponentType, lazy, useEffect, useState } from "react";
import { loadArea, loadLaterTexts } from "../../../messages/areas.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import type { ToolRoundProps } from "./tool-round.tsx";

let here: ComponentType<ToolRoundProps> | undefined;

/** Loads the component for tool rounds and its messages. */
async function loadTools(): Promise<ComponentType<ToolRoundProps>> {
  const [{ ToolRound }] = await Promise.all([
    import("./tool-round.tsx"),
    loadArea("tools"),
    loadLaterTexts(),
  ]);
  here = ToolRound;
  return ToolRound;
}
const LazyToolRound = lazy(async () => ({ default: await loadTools() }));

/**
 * Loads the tool rounds if they are needed.
 * @returns whether they have loaded or failed
 */
export function useTools(isWanted: boolean): boolean {
  const [isHere, setHere] = useState(here !== undefined);
  useEffect(() => {
    const onEnd = () => setHere(true);
    if (isWanted && !isHere) loadTools().then(onEnd, onEnd);
  }, [isWanted, isHere]);
  return isHere;
}

/**
 * Rendered immediately if its code has loaded; a lazy part would first show its fallback, which
 * React keeps for 300 ms.
 */
export function ToolRound(props: ToolRoundProps) {
  const [Shown] = useState(() => here ?? LazyToolRound);
  return <Shown {...props} />;
}

export const AnswerParts = lazyPart(
  () => import("../answer/answer-parts.tsx").then(({ AnswerParts }) => AnswerParts),
  "tools",
);
