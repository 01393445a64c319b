import { useEffect, useSyncExternalStore } from "react";
import { loadOptional } from "../../data/page/stale-page.ts";
import type { validateForm } from "./validate-form.ts";

type Validate = typeof validateForm;
/** `hasFailed`: it was asked for and did not come; what is sent is checked by the server as well. */
export type Validation = { validate: Validate | null; hasFailed: boolean };

let validation: Validation = { validate: null, hasFailed: false };
const listeners = new Set<() => void>();

function setValidation(next: Validation): void {
  validation = next;
  for (const listener of listeners) listener();
}

/** The check of a form's values, in a chunk of its own: no form needs it before something was typed. Null where it does not come. */
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

/** The check as soon as it is here; loaded when it is first wanted. */
export function useValidation(isWanted: boolean): Validation {
  useEffect(() => {
    if (isWanted) void loadValidation();
  }, [isWanted]);
  return useSyncExternalStore(subscribe, () => validation);
}
