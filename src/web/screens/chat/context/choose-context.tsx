import { ListTree } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";

const requests = new EventTarget();

/** Opens the dialog of the composer's context meter, from any message that the context is full. */
export const ChooseContextButton = () => (
  <Button icon={ListTree} onClick={() => requests.dispatchEvent(new Event("choose"))}>
    {t("context.choose")}
  </Button>
);

/** @returns what ends listening */
export function onChooseContext(open: () => void): () => void {
  requests.addEventListener("choose", open);
  return () => requests.removeEventListener("choose", open);
}
