import { useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { isRecord, kept, type Slot } from "./kept.ts";

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
 * What was typed into a form, kept in this tab until it is sent: a reload loses nothing, a closed tab leaves nothing behind.
 * Never give it a password or a key. Without a name it is kept in memory only.
 * @returns the values, a way to change some, and the end of the draft
 */
export function useTabDraft<Values extends Draft>(
  name: string | null,
  initial: Values,
): [Values, (change: Partial<Values>) => void, () => void] {
  const person = usePersonId();
  const [values, setValues] = useState<Values>(() => ({
    ...initial,
    ...(name !== null && kept().read(form, person, name)),
  }));
  const set = (change: Partial<Values>) => {
    const next = { ...values, ...change };
    setValues(next);
    if (name !== null) kept().write(form, person, next, name);
  };
  const clear = () => {
    if (name !== null) kept().write(form, person, form.empty, name);
  };
  return [values, set, clear];
}
