import { useState } from "react";

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

/** A small choice kept on the device, such as a panel's width: `useStored("inspector-width", 320)`. Numbers, booleans and texts. */
export function useStored(name: string, initial: string): [string, (value: string) => void];
export function useStored(name: string, initial: number): [number, (value: number) => void];
export function useStored(name: string, initial: boolean): [boolean, (value: boolean) => void];
export function useStored<Value extends string | number | boolean>(
  name: string,
  initial: Value,
): [Value, (value: Value) => void] {
  const key = `bottega:${name}`;
  const [value, setValue] = useState<Value>(() => {
    try {
      const stored: unknown = JSON.parse(read(key) ?? "null");
      return typeof stored === typeof initial ? (stored as Value) : initial;
    } catch {
      return initial;
    }
  });
  const set = (next: Value) => {
    setValue(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // A full store: the choice lasts as long as the page.
    }
  };
  return [value, set];
}
