import { useSyncExternalStore } from "react";

/**
 * `phone`: one column with the bar below; `medium`: the inspector covers the work; `wide`:
 * everything side by side.
 */
export type Width = "phone" | "medium" | "wide";

const phone = "(max-width: 760px)";
const medium = "(max-width: 1120px)";

function subscribe(onChange: () => void): () => void {
  const queries = [matchMedia(phone), matchMedia(medium)];
  for (const query of queries) query.addEventListener("change", onChange);
  return () => {
    for (const query of queries) query.removeEventListener("change", onChange);
  };
}

const measure = (): Width =>
  matchMedia(phone).matches ? "phone" : matchMedia(medium).matches ? "medium" : "wide";

/** The window's layout. */
export const useWidth = (): Width => useSyncExternalStore(subscribe, measure);
