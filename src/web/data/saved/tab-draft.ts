import { useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { isRecord, type Slot, savedEntries } from "./saved-entries.ts";

type Draft = Record<string, string>;

const form: Slot<Draft> = {
  kind: "draft",
  where: "tab",
  name: "form",
  version: 1,
  empty: {},
  parse: (saved) => (isRecord(saved) ? (saved as Draft) : null),
};

/**
 * A form's draft, saved in this tab until the form is sent: a reload loses nothing, and closing the
 * tab removes it. Must not be used for passwords or keys. Without a name, the draft stays in
 * memory.
 * @returns the values, a function that changes some, and one that ends the draft
 */
export function useTabDraft<Values extends Draft>(
  name: string | null,
  initial: Values,
): [Values, (change: Partial<Values>) => void, () => void] {
  const person = usePersonId();
  const [values, setValues] = useState<Values>(() => ({
    ...initial,
    ...(name !== null && savedEntries().read(form, person, name)),
  }));
  const set = (change: Partial<Values>) => {
    const next = { ...values, ...change };
    setValues(next);
    if (name !== null) savedEntries().write(form, person, next, name);
  };
  const clear = () => {
    if (name !== null) savedEntries().write(form, person, form.empty, name);
  };
  return [values, set, clear];
}
