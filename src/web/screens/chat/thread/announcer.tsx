import { useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";

/** The last answer of a thread, all its rounds together: by its first message, which stays. */
export type Standing = { id: string; state: Message["state"]; isAsking: boolean };

/** Says once that an answer begins, that it asks for a word, and how it ended; never its words one by one. */
export function Announcer({ answer }: { answer: Standing | undefined }) {
  const [words, setWords] = useState("");
  const before = useRef<Standing | undefined>(undefined);
  const { id, state, isAsking = false } = answer ?? {};
  useEffect(() => {
    const last = before.current;
    before.current = id && state ? { id, state, isAsking } : undefined;
    const wasComing = last?.id === id && last?.state === "streaming";
    if (state === "streaming" && isAsking) {
      if (!wasComing || !last.isAsking) setWords(t("chat.announce.asks"));
    } else if (state === "streaming" && !wasComing) setWords(t("chat.announce.begins"));
    else if (state && wasComing && state !== "streaming") {
      setWords(t(state === "complete" ? "chat.announce.complete" : "chat.announce.interrupted"));
    }
  }, [id, state, isAsking]);
  return (
    <VisuallyHidden live="polite" as="div">
      {words}
    </VisuallyHidden>
  );
}
