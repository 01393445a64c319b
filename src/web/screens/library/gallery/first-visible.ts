import { useSyncExternalStore } from "react";

/**
 * The index of the first visible item, outside of React, so that scrolling rerenders the scrubber
 * and not the gallery.
 */
export type FirstVisible = {
  get: () => number;
  set: (value: number) => void;
  subscribe: (listener: () => void) => () => void;
};

export function createFirstVisible(): FirstVisible {
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

export const useFirstVisible = (firstVisible: FirstVisible): number =>
  useSyncExternalStore(firstVisible.subscribe, firstVisible.get);
