import { ListTree } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { openContextChoice } from "./context-opener.ts";

/** From "this does not fit" to the choice of what is sent. */
export function ContextWay() {
  return (
    <Button icon={ListTree} onClick={openContextChoice}>
      {t("context.choose")}
    </Button>
  );
}
