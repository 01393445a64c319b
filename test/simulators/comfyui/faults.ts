/** Set by a test for a prompt, or named in the prompt itself: `[sim:oom]`. */
export const comfyFaults = [
  // At the submit. lost-reply: queued but never answered; cut-reply: ends inside the answer;
  // hold-reply: never answered, with the connection kept open. reset: not queued. no-id: an answer
  // without the job's id.
  "lost-reply",
  "cut-reply",
  "hold-reply",
  "reset",
  "500",
  "html",
  "broken-json",
  "no-id",
  // During the run: hold and hold-queue until released; the others in the middle of the sampler.
  "hold-queue",
  "hold",
  "error",
  "oom",
  "interrupted",
  "socket-drop",
  // It ends and saves nothing, or a missing file.
  "nothing",
  "output-404",
] as const;
export type ComfyFault = (typeof comfyFaults)[number];

export type Gate = { promise: Promise<void>; open(): void };
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: () => resolve() };
}
