import { useSyncExternalStore } from "react";

/** A number that changes with the scroll, outside of React: only what shows it is drawn for it, not the gallery. */
export type Place = {
  get: () => number;
  set: (value: number) => void;
  subscribe: (listener: () => void) => () => void;
};

export function createPlace(): Place {
  let value = 0;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const usePlace = (place: Place): number => useSyncExternalStore(place.subscribe, place.get);
