import { useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";

/** The thread's last answer with all its rounds, under the stable id of its first message. */
type LastAnswer = { id: string; state: Message["state"]; isAsking: boolean };

/** Announces that an answer starts, needs approval or ends, but never its text. */
export function Announcer({ answer }: { answer: LastAnswer | undefined }) {
  const [announcement, setAnnouncement] = useState("");
  const before = useRef<LastAnswer | undefined>(undefined);
  const { id, state, isAsking = false } = answer ?? {};
  useEffect(() => {
    // Undefined while a new message loads; the next state is compared with the one before.
    if (!id || !state) return;
    const last = before.current;
    before.current = { id, state, isAsking };
    const wasComing = last?.id === id && last?.state === "streaming";
    if (state === "streaming" && isAsking) {
      if (!wasComing || !last.isAsking) setAnnouncement(t("chat.announce.asks"));
    } else if (state === "streaming" && !wasComing) setAnnouncement(t("chat.announce.begins"));
    else if (wasComing && state !== "streaming") {
      setAnnouncement(
        t(state === "complete" ? "chat.announce.complete" : "chat.announce.interrupted"),
      );
    }
  }, [id, state, isAsking]);
  return (
    <VisuallyHidden live="polite" as="div">
      {announcement}
    </VisuallyHidden>
  );
}
