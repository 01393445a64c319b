const opener = new EventTarget();
const asked = "asked";

/** Opens the choice of what is sent, wherever one reads that it does not fit: it is the meter's, in the composer. */
export const openContextChoice = (): void => void opener.dispatchEvent(new Event(asked));

export function onContextChoice(open: () => void): () => void {
  opener.addEventListener(asked, open);
  return () => opener.removeEventListener(asked, open);
}
