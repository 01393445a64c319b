import { useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";

/** Says once that an answer begins, and once how it ended; never its words one by one. */
export function Announcer({ answer }: { answer: Message | undefined }) {
  const [words, setWords] = useState("");
  const before = useRef<Pick<Message, "id" | "state"> | null>(null);
  const id = answer?.role === "assistant" ? answer.id : undefined;
  const state = answer?.role === "assistant" ? answer.state : undefined;
  useEffect(() => {
    const last = before.current;
    before.current = id && state ? { id, state } : null;
    if (state === "streaming" && last?.id !== id) setWords(t("chat.announce.begins"));
    else if (state && last?.id === id && last?.state === "streaming" && state !== "streaming") {
      setWords(t(state === "complete" ? "chat.announce.complete" : "chat.announce.interrupted"));
    }
  }, [id, state]);
  return (
    <VisuallyHidden live="polite" as="div">
      {words}
    </VisuallyHidden>
  );
}
