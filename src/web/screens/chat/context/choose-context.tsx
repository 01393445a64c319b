import { ListTree } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";

const requests = new EventTarget();

/** Opens the context meter's dialog from any message about a full context. */
export const ChooseContextButton = () => (
  <Button icon={ListTree} onClick={() => requests.dispatchEvent(new Event("choose"))}>
    {t("context.choose")}
  </Button>
);

/** @returns a function that stops listening */
export function onChooseContext(open: () => void): () => void {
  requests.addEventListener("choose", open);
  return () => requests.removeEventListener("choose", open);
}
