import { useCallback, useEffect, useRef, useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { kept, type Slot } from "./kept.ts";

/** A long text is not written to the device at each key. */
const gatherMs = 300;

type Held<Value> = { person: string; id: string; value: Value };

/**
 * One entry of a slot, saved on the device a moment after each change. Another id, or another person, has an entry of its own.
 * @param initial what is shown while nothing is saved
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
  /** Sent or thrown away: nothing of it stays on the device. */
  const clear = useCallback(() => {
    unwritten.current = null;
    kept().write(slot, person, slot.empty, id);
    setHeld({ person, id, value: slot.empty });
  }, [slot, id, person]);
  return { value: present.value, change, clear, flush };
}
