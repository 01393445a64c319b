import { t } from "../../messages/t.ts";
import { useToast } from "./toast.tsx";

/** Copies a text and returns whether that succeeded. A refusal is shown in a toast. */
export function useCopyText(): (text: string) => Promise<boolean> {
  const toast = useToast();
  return async (text) => {
    try {
      // Browsers have no clipboard on plain HTTP from another machine.
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      toast({ text: t("ui.copyRefused"), kind: "error" });
      return false;
    }
  };
}
