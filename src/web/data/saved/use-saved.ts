import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { type Slot, savedEntries } from "./saved-entries.ts";
import { broadcastSent, onSentInOtherTab, type SentDraft } from "./sent-drafts.ts";

/** Saves long text after a pause instead of at each key. */
const saveDelayMs = 300;

/** @property isTyped whether the value was typed in this tab after it was read from the device */
type Snapshot<Value> = { person: string; id: string; value: Value; isTyped: boolean };

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * One entry of a slot, saved on the device shortly after each change. Each id and each person has a
 * separate entry.
 * @param initial the value shown if nothing is saved
 */
export function useSaved<Value>(slot: Slot<Value>, id: string, initial: Value = slot.empty) {
  const person = usePersonId();
  const load = (): Snapshot<Value> => {
    const saved = savedEntries().read(slot, person, id);
    return { person, id, value: saved === slot.empty ? initial : saved, isTyped: false };
  };
  const [snapshot, setSnapshot] = useState(load);
  const isPresent = snapshot.id === id && snapshot.person === person;
  const present = isPresent ? snapshot : load();
  if (!isPresent) setSnapshot(present);
  const unwritten = useRef<Snapshot<Value> | null>(null);
  const timer = useRef<number | undefined>(undefined);

  const flush = useCallback(() => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    const last = unwritten.current;
    if (last) savedEntries().write(slot, last.person, last.value, last.id);
    unwritten.current = null;
  }, [slot]);
  useEffect(() => {
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, [flush, id, person]);

  const shown = useRef<{ person: string; id: string } | null>({ person, id });
  useLayoutEffect(() => {
    shown.current = { person, id };
  }, [person, id]);
  // Not in the layout effect, which also ends while a part of the screen loads.
  useEffect(
    () => () => {
      shown.current = null;
    },
    [],
  );
  const change = useCallback(
    (next: (before: Value) => Value) => {
      if (shown.current?.id !== id || shown.current.person !== person) {
        // An upload ends after the person has opened another draft, which may have unsaved text, or
        // another screen.
        flush();
        savedEntries().write(slot, person, next(savedEntries().read(slot, person, id)), id);
        return;
      }
      setSnapshot((before) => {
        const isSame = before.id === id && before.person === person;
        const value = next(isSame ? before.value : savedEntries().read(slot, person, id));
        unwritten.current = { person, id, value, isTyped: true };
        return unwritten.current;
      });
      timer.current ??= window.setTimeout(flush, saveDelayMs);
    },
    [slot, id, person, flush],
  );
  /** Removes a discarded draft from the device. */
  const clear = useCallback(() => {
    flush();
    savedEntries().write(slot, person, slot.empty, id);
    setSnapshot((before) =>
      before.id === id && before.person === person
        ? { person, id, value: slot.empty, isTyped: false }
        : before,
    );
  }, [slot, id, person, flush]);
  /** Removes a sent draft from the device and from every tab. Text typed since stays. */
  const clearSent = useCallback(
    (sent: Value) => {
      flush();
      savedEntries().removeSent(slot, person, sent, id);
      broadcastSent({ slot: slot.name, person, id, value: sent });
      setSnapshot((before) =>
        before.id === id && before.person === person && slot.isPartOf?.(before.value, sent)
          ? { person, id, value: slot.empty, isTyped: false }
          : before,
      );
    },
    [slot, id, person, flush],
  );
  const giveUpSent = useEffectEvent((sent: SentDraft) => {
    if (sent.slot !== slot.name || sent.person !== person || sent.id !== id) return;
    const value = sent.value as Value;
    // A part of the sent text goes if this tab only read it, and stays if it was typed here.
    if (present.isTyped ? isSame(present.value, value) : slot.isPartOf?.(present.value, value)) {
      unwritten.current = null;
      savedEntries().removeSent(slot, person, value, id);
      setSnapshot({ person, id, value: initial, isTyped: false });
    } else if (present.isTyped && slot.isPartOf?.(savedEntries().read(slot, person, id), value)) {
      // The other tab has overwritten the entry. A tab in the background hears of it late, when newer
      // text may be saved.
      unwritten.current = present;
      flush();
    }
  });
  const isShared = slot.isPartOf !== undefined;
  useEffect(() => (isShared ? onSentInOtherTab(giveUpSent) : undefined), [isShared]);
  return { value: present.value, change, clear, clearSent, flush };
}
