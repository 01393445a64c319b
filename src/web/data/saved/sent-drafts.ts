/** A draft that one tab of this browser has sent. */
export type SentDraft = { slot: string; person: string; id: string; value: unknown };

let shared: BroadcastChannel | undefined;
/** The page's only channel, because a channel doesn't receive its own messages. */
const channel = (): BroadcastChannel => {
  shared ??= new BroadcastChannel("bottega:sent-drafts");
  return shared;
};

export const broadcastSent = (sent: SentDraft): void => channel().postMessage(sent);

/** @returns a function that stops listening */
export function onSentInOtherTab(listen: (sent: SentDraft) => void): () => void {
  const receive = ({ data }: MessageEvent<SentDraft>) => listen(data);
  channel().addEventListener("message", receive);
  return () => channel().removeEventListener("message", receive);
}
