import { useSyncExternalStore } from "react";

/** Runs what it is given at the next frame. `requestAnimationFrame` in the page. */
export type NextFrame = (run: () => void) => void;

/**
 * The texts that are growing now, outside of React's state, so that a delta draws one block and nothing else. Deltas are
 * applied once a frame.
 */
export type TextStore = {
  /** Adds to the text of a part: `id` is the message's or run's, with the part's index where it has several. */
  append: (id: string, delta: string) => void;
  /** Replaces it whole: a snapshot after a gap, or the text as stored at the end. */
  set: (id: string, text: string) => void;
  get: (id: string) => string;
  subscribe: (id: string, listener: () => void) => () => void;
  /** Forgets it, once the message that is stored has taken its place. */
  drop: (id: string) => void;
};

export function createTextStore(nextFrame: NextFrame = (run) => requestAnimationFrame(run)): TextStore {
  const texts = new Map<string, string>();
  const waiting = new Map<string, string[]>();
  const listeners = new Map<string, Set<() => void>>();
  let isAsked = false;

  const tell = (id: string) => {
    for (const listener of listeners.get(id) ?? []) listener();
  };
  const apply = () => {
    isAsked = false;
    const ids = [...waiting.keys()];
    for (const [id, deltas] of waiting) texts.set(id, (texts.get(id) ?? "") + deltas.join(""));
    waiting.clear();
    for (const id of ids) tell(id);
  };

  return {
    append(id, delta) {
      const deltas = waiting.get(id);
      if (deltas) deltas.push(delta);
      else waiting.set(id, [delta]);
      if (isAsked) return;
      isAsked = true;
      nextFrame(apply);
    },
    set(id, text) {
      waiting.delete(id);
      texts.set(id, text);
      tell(id);
    },
    get: (id) => texts.get(id) ?? "",
    subscribe(id, listener) {
      const set = listeners.get(id) ?? new Set();
      listeners.set(id, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(id) === set) listeners.delete(id);
      };
    },
    drop(id) {
      waiting.delete(id);
      texts.delete(id);
      tell(id);
    },
  };
}

/** The text of one part as it grows. */
export function useStreamingText(store: TextStore, id: string): string {
  return useSyncExternalStore(
    (listener) => store.subscribe(id, listener),
    () => store.get(id),
  );
}
