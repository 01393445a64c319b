import { live } from "./live/live.ts";

const waitMs = { first: 1_000, longest: 10_000 };

export type ServerWait = {
  /** True if another request is worth trying; false if `giveUp` was called first. */
  ended: Promise<boolean>;
  tryNow: () => void;
  giveUp: () => void;
};

/**
 * Waits for an unreachable server: until the network or the live socket is back, or a growing delay
 * has passed.
 * @param failures how often the request has failed, at least 1
 */
export function waitForServer(failures: number): ServerWait {
  let end: (isWorthATry: boolean) => void = () => undefined;
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const tryNow = () => end(true);
  const unsubscribe = live().status.subscribe(() => {
    if (!live().status.isDown()) tryNow();
  });
  const timer = window.setTimeout(
    tryNow,
    Math.min(waitMs.first * 2 ** (failures - 1), waitMs.longest),
  );
  window.addEventListener("online", tryNow);
  void ended.then(() => {
    unsubscribe();
    window.clearTimeout(timer);
    window.removeEventListener("online", tryNow);
  });
  return { ended, tryNow, giveUp: () => end(false) };
}
