export const falFaults = [
  // At the submit. hold-reply: taken, and answered when told to. reset: taken by nobody. lost-reply: taken, made, billed, and never answered. cut-reply: ends inside the answer. 429-taken: taken, made, billed, and answered as if it were not. 429-taken-own: the same in words that only fal has.
  "hold-reply",
  "reset",
  "lost-reply",
  "cut-reply",
  "429",
  "429-taken",
  "429-taken-own",
  "500",
  "503",
  "504",
  "locked",
  "422",
  "html",
  "broken-json",
  "no-id",
  // While it runs. hold-queue and hold: it stays there until released. stream-cut: events stop before the end.
  "hold-queue",
  "hold",
  "stream-cut",
  "stream-bytes",
  "stream-html",
  "status-500",
  "stops-on-cancel",
  // In place of a result. result-busy: the door is shut once, the result is there.
  "result-422",
  "content-policy",
  "runner-failed",
  "result-busy",
  "result-html",
  // While a large file goes up, by words of its name: a part, or the last call, fails and may be put again; a part is never answered.
  "part-503",
  "part-reset",
  "part-403",
  "part-hold",
  "complete-503",
  // The result names files that can't be fetched, or that stand elsewhere.
  "output-foreign",
  "output-404",
  // Whatever befalls the outputs befalls the first of several alone.
  "output-first",
  "output-html",
  "output-cut",
  "output-403",
  "output-503",
  // Each answer breaks after a third of the file; the second one pays no heed to ranges.
  "output-torn",
  "output-torn-whole",
  // A byte a millisecond or so; ends early and says that this is all; a message in words under the name of a picture.
  "output-slow",
  // Twice nothing more comes and the line stays open: before the head, then behind half of the file.
  "output-silent",
  "output-truncated",
  "output-text",
  // Made and billed whole, and the result names no picture, or the first alone.
  "output-none",
  "output-fewer",
  // Told by webhook: ten times at once; before the submit is answered; by no key of fal's; of ten minutes ago; to another run's address; not by itself.
  "webhook-x10",
  "webhook-early",
  "webhook-forged",
  "webhook-old",
  "webhook-hold",
  "webhook-none",
  // On a stream of results: it breaks after the second event, or ends in order with a half result; each byte alone; an error in an event.
  "sse-torn",
  "sse-half",
  "sse-bytes",
  "sse-error",
  "sse-note",
  // On a line of frames. token-expired: of no prompt, the next socket is refused. frame-hold: until released. line-…: it ends so.
  "token-expired",
  "frame-invalid",
  "frame-policy",
  "frame-broken",
  "frame-hold",
  "frame-remark",
  "frame-base64",
  "frame-large",
  "line-drop",
  "line-1000",
  "line-1011",
  "line-unauthorized",
] as const;
export type FalFault = (typeof falFaults)[number];

type FalScript = { prompt: string; fault: FalFault; times: number };

/** Faults by prompt: scripted by a test, or named in the prompt itself as `[sim:lost-reply]`, which works from a browser as well. */
export function createFaults() {
  const scripts: FalScript[] = [];
  return {
    script(prompt: string, fault: FalFault, times = 1) {
      scripts.push({ prompt, fault, times });
    },
    /** True when this fault is due now; a scripted one is used up by it, one in the prompt always is. */
    take(prompt: string, fault: FalFault): boolean {
      if (prompt.includes(`[sim:${fault}]`)) return true;
      const found = scripts.find(
        (script) => script.fault === fault && script.times > 0 && prompt.includes(script.prompt),
      );
      if (found) found.times--;
      return found !== undefined;
    },
  };
}
export type FalFaults = ReturnType<typeof createFaults>;
