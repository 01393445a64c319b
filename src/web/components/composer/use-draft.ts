import { useEffect, useState } from "react";

const prefix = "bottega:typed:";
const writeAfterMs = 300;

const read = (key: string): string => {
  try {
    return localStorage.getItem(prefix + key) ?? "";
  } catch {
    return "";
  }
};
const write = (key: string, text: string): void => {
  try {
    if (text) localStorage.setItem(prefix + key, text);
    else localStorage.removeItem(prefix + key);
  } catch {
    // A full store: the text lives as long as the page.
  }
};

/**
 * What a person is typing, kept on the device under a key (a conversation, a model) until they clear it. Another key brings
 * its own text.
 */
export function useDraft(key: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ key, text: read(key) }));
  const present = draft.key === key ? draft : { key, text: read(key) };
  if (present !== draft) setDraft(present);
  useEffect(() => {
    const save = () => write(present.key, present.text);
    const timer = setTimeout(save, writeAfterMs);
    // Leaving the page or the key within that time must not lose the last words.
    addEventListener("pagehide", save);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", save);
      save();
    };
  }, [present.key, present.text]);
  return [present.text, (text) => setDraft({ key, text })];
}
