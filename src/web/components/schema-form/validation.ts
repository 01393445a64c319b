import { useEffect, useSyncExternalStore } from "react";
import { loadOptional } from "../../data/page/stale-page.ts";
import type { validateForm } from "./validate-form.ts";

type Validate = typeof validateForm;
/** `hasFailed` means that loading failed; the server validates every request as well. */
export type Validation = { validate: Validate | null; hasFailed: boolean };

let validation: Validation = { validate: null, hasFailed: false };
const listeners = new Set<() => void>();

function setValidation(next: Validation): void {
  validation = next;
  for (const listener of listeners) listener();
}

/**
 * Loads the form validation, in a separate chunk that isn't needed before the person types. Null if
 * loading fails.
 */
export async function loadValidation(): Promise<Validate | null> {
  if (validation.validate) return validation.validate;
  const validate = (await loadOptional(() => import("./validate-form.ts")))?.validateForm ?? null;
  setValidation({ validate, hasFailed: validate === null });
  return validate;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The form validation once it has loaded; loading starts when it is first wanted. */
export function useValidation(isWanted: boolean): Validation {
  useEffect(() => {
    if (isWanted) void loadValidation();
  }, [isWanted]);
  return useSyncExternalStore(subscribe, () => validation);
}
