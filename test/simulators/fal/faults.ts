export const falFaults = [
  // At the submit. hold-reply: accepted, and answered on request. reset: not accepted. lost-reply:
  // accepted, made, billed, and never answered. cut-reply: ends inside the answer. 429-taken:
  // accepted, made, billed, and answered as if it weren't. 429-taken-own: the same in fal's own
  // words.
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
  // During the run. hold-queue and hold: stays there until released. stream-cut: events stop before
  // the end.
  "hold-queue",
  "hold",
  "stream-cut",
  "stream-bytes",
  "stream-html",
  "status-500",
  "stops-on-cancel",
  // In place of a result. result-busy: refused once, then the result is there.
  "result-422",
  "content-policy",
  "runner-failed",
  "result-busy",
  "result-html",
  // During a large file's upload, by words in its name: a part, or the last call, fails and may be
  // repeated; a part is never answered.
  "part-503",
  "part-reset",
  "part-403",
  "part-hold",
  "complete-503",
  // The result names files that can't be fetched, or that are elsewhere.
  "output-foreign",
  "output-404",
  // Output faults affect only the first of several outputs.
  "output-first",
  "output-html",
  "output-cut",
  "output-403",
  "output-503",
  // Each answer breaks after a third of the file; the second ignores ranges.
  "output-torn",
  "output-torn-whole",
  // About a byte per millisecond; ends early and claims to be complete; a text message with a
  // picture's content type.
  "output-slow",
  // Twice, data stops and the connection stays open: before the head, then after half of the file.
  "output-silent",
  "output-truncated",
  "output-text",
  // Made and billed completely, but the result names no picture, or only the first.
  "output-none",
  "output-fewer",
  // Webhooks: ten at once; before the submit is answered; signed with another key; ten minutes old;
  // to another run's address; not sent automatically.
  "webhook-x10",
  "webhook-early",
  "webhook-forged",
  "webhook-old",
  "webhook-hold",
  "webhook-none",
  // On a result stream: it breaks after the second event, or ends normally with half a result;
  // single bytes; an error in an event.
  "sse-torn",
  "sse-half",
  "sse-bytes",
  "sse-error",
  "sse-note",
  // On a frame connection. token-expired: without a prompt, the next socket is refused. frame-hold:
  // until released. line-…: it ends this way.
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

/**
 * Faults by prompt: scripted by a test, or named in the prompt itself as `[sim:lost-reply]`, which
 * works from a browser as well.
 */
export function createFaults() {
  const scripts: FalScript[] = [];
  return {
    script(prompt: string, fault: FalFault, times = 1) {
      scripts.push({ prompt, fault, times });
    },
    /**
     * True if this fault applies now. A scripted fault is used up; one in the prompt always
     * applies.
     */
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
