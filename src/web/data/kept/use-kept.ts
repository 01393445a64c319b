import { useCallback, useEffect, useRef, useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { kept, type Slot } from "./kept.ts";

/** Saves long text after a pause instead of at each key. */
const gatherMs = 300;

type Held<Value> = { person: string; id: string; value: Value };

/**
 * One entry of a slot, saved on the device shortly after each change. Each id and each person has a
 * separate entry.
 * @param initial the value shown if nothing is saved
 */
export function useKept<Value>(slot: Slot<Value>, id: string, initial: Value = slot.empty) {
  const person = usePersonId();
  const begin = (): Held<Value> => {
    const saved = kept().read(slot, person, id);
    return { person, id, value: saved === slot.empty ? initial : saved };
  };
  const [held, setHeld] = useState(begin);
  const isPresent = held.id === id && held.person === person;
  const present = isPresent ? held : begin();
  if (!isPresent) setHeld(present);
  const unwritten = useRef<Held<Value> | null>(null);
  const timer = useRef<number | undefined>(undefined);

  const flush = useCallback(() => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    const last = unwritten.current;
    if (last) kept().write(slot, last.person, last.value, last.id);
    unwritten.current = null;
  }, [slot]);
  useEffect(() => {
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [flush, id, person]);

  const change = useCallback(
    (next: (before: Value) => Value) => {
      setHeld((before) => {
        const isSame = before.id === id && before.person === person;
        const value = next(isSame ? before.value : kept().read(slot, person, id));
        unwritten.current = { person, id, value };
        return unwritten.current;
      });
      timer.current ??= window.setTimeout(flush, gatherMs);
    },
    [slot, id, person, flush],
  );
  /** Removes the entry from the device after the draft is sent or discarded. */
  const clear = useCallback(() => {
    unwritten.current = null;
    kept().write(slot, person, slot.empty, id);
    setHeld({ person, id, value: slot.empty });
  }, [slot, id, person]);
  return { value: present.value, change, clear, flush };
}
