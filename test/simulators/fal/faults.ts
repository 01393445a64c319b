export const falFaults = [
  // At the submit. hold-reply: taken, and answered when told to. reset: taken by nobody. lost-reply: taken, made, billed, and never answered. cut-reply: ends inside the answer.
  "hold-reply",
  "reset",
  "lost-reply",
  "cut-reply",
  "429",
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
  // The result names files that can't be fetched, or that stand elsewhere.
  "output-foreign",
  "output-404",
  // Only the first of several files.
  "output-404-one",
  "output-html",
  "output-cut",
] as const;
export type FalFault = (typeof falFaults)[number];

export type FalScript = { prompt: string; fault: FalFault; times: number };

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
      const found = scripts.find((script) => script.fault === fault && script.times > 0 && prompt.includes(script.prompt));
      if (found) found.times--;
      return found !== undefined;
    },
  };
}
export type FalFaults = ReturnType<typeof createFaults>;
