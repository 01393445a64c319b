import { useState } from "react";

type Draft = Record<string, string>;

const read = (key: string): Draft => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Draft) : {};
  } catch {
    return {};
  }
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
  const key = name === null ? null : `bottega:draft:${name}`;
  const [values, setValues] = useState<Values>(() => ({ ...initial, ...(key && read(key)) }));
  const set = (change: Partial<Values>) => {
    const next = { ...values, ...change };
    setValues(next);
    if (key === null) return;
    try {
      sessionStorage.setItem(key, JSON.stringify(next));
    } catch {
      // A full store: the draft lasts as long as the page.
    }
  };
  const clear = () => {
    try {
      if (key !== null) sessionStorage.removeItem(key);
    } catch {
      // Without a store there is nothing to clear.
    }
  };
  return [values, set, clear];
}
