/** Named by a test for a prompt, or in the prompt itself: `[sim:oom]`. */
export const comfyFaults = [
  // At the submit. lost-reply: queued, and never answered; cut-reply: ends inside the answer; hold-reply: the same with the line kept open. reset: queued by nobody. no-id: an answer without the job's id.
  "lost-reply",
  "cut-reply",
  "hold-reply",
  "reset",
  "500",
  "html",
  "broken-json",
  "no-id",
  // While it runs: hold and hold-queue until released; the rest in the middle of the sampler.
  "hold-queue",
  "hold",
  "error",
  "oom",
  "interrupted",
  "socket-drop",
  // It ends, and saves nothing; or a file that is not there.
  "nothing",
  "output-404",
] as const;
export type ComfyFault = (typeof comfyFaults)[number];

export type Gate = { promise: Promise<void>; open(): void };
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: () => resolve() };
}
