import { useCallback, useEffect, useRef, useState } from "react";
import { type Draft, emptyDraft, readDraft, writeDraft } from "./draft-store.ts";

/** A long text is not written to the device at each key. */
const gatherMs = 300;

/**
 * What is being typed at one place, kept on the device: by conversation, or by the message that is edited. Another name is
 * another draft; the one before is kept.
 */
export function useMessageDraft(name: string, initial: Draft = emptyDraft) {
  const begin = () => {
    const stored = readDraft(localStorage, name);
    return stored.text === "" && stored.files.length === 0 ? initial : stored;
  };
  const [held, setHeld] = useState(() => ({ name, draft: begin() }));
  const present = held.name === name ? held : { name, draft: begin() };
  if (present !== held) setHeld(present);
  const unwritten = useRef<{ name: string; draft: Draft } | null>(null);
  const timer = useRef<number | undefined>(undefined);

  const flush = useCallback(() => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    if (unwritten.current)
      writeDraft(localStorage, unwritten.current.name, unwritten.current.draft);
    unwritten.current = null;
  }, []);
  useEffect(() => {
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [flush, name]);

  const change = useCallback(
    (next: (before: Draft) => Draft) => {
      setHeld((before) => {
        const draft = next(before.name === name ? before.draft : readDraft(localStorage, name));
        unwritten.current = { name, draft };
        return { name, draft };
      });
      timer.current ??= window.setTimeout(flush, gatherMs);
    },
    [name, flush],
  );
  /** Sent or thrown away: nothing of it stays on the device. */
  const clear = useCallback(() => {
    unwritten.current = null;
    writeDraft(localStorage, name, emptyDraft);
    setHeld({ name, draft: emptyDraft });
  }, [name]);
  return { draft: present.draft, change, clear, flush };
}
