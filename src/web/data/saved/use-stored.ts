import { useState } from "react";
import { usePersonId } from "../shell-data.ts";
import { type Slot, savedEntries } from "./saved-entries.ts";

type Simple = string | number | boolean;
type Wide<Value extends Simple> = Value extends string
  ? string
  : Value extends number
    ? number
    : boolean;

const slotOf = <Value extends Simple>(name: string, initial: Value): Slot<Wide<Value>> => ({
  kind: "choice",
  name,
  version: 1,
  empty: initial as unknown as Wide<Value>,
  parse: (saved) => (typeof saved === typeof initial ? (saved as Wide<Value>) : null),
});

/** Reads a person's choice on this device outside of rendering. */
export const readStored = <Value extends Simple>(
  person: string,
  name: string,
  initial: Value,
): Wide<Value> => savedEntries().read(slotOf(name, initial), person);

/** Sets a person's choice outside of rendering. */
export const writeStored = <Value extends Simple>(
  person: string,
  name: string,
  initial: Value,
  value: Wide<Value>,
): void => void savedEntries().write(slotOf(name, initial), person, value);

/** A small choice of a person, saved on this device. */
export function useStoredOf<Value extends Simple>(
  person: string,
  name: string,
  initial: Value,
): [Wide<Value>, (value: Wide<Value>) => void] {
  const entryKey = `${person}:${name}`;
  const read = () => ({
    place: entryKey,
    value: savedEntries().read(slotOf(name, initial), person),
  });
  const [snapshot, setSnapshot] = useState(read);
  const present = snapshot.place === entryKey ? snapshot : read();
  if (present !== snapshot) setSnapshot(present);
  const set = (value: Wide<Value>) => {
    setSnapshot({ place: entryKey, value });
    savedEntries().write(slotOf(name, initial), person, value);
  };
  return [present.value, set];
}

/**
 * A small choice of the signed-in person, such as a panel's width: `useStored("inspector-width",
 * 320)`.
 */
export const useStored = <Value extends Simple>(name: string, initial: Value) =>
  useStoredOf(usePersonId(), name, initial);
