import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { readMessages } from "../../../data/queries/conversation.queries.ts";

/** Messages are loaded only after the thread rests this long, not while they scroll by. */
const restMs = 60;

/** Loads the missing messages of a conversation. `error` is the last attempt's. */
export function useReadMessages(conversationId: string | undefined, missing: readonly string[]) {
  const queryClient = useQueryClient();
  const coming = useRef(new Set<string>());
  const [error, setError] = useState<unknown>(null);
  const wanted = missing.join();
  useEffect(() => {
    if (conversationId === undefined || wanted === "" || error !== null) return;
    const timer = setTimeout(() => {
      const ids = wanted.split(",").filter((id) => !coming.current.has(id));
      if (ids.length === 0) return;
      for (const id of ids) coming.current.add(id);
      readMessages(queryClient, conversationId, ids)
        .catch(setError)
        .finally(() => {
          for (const id of ids) coming.current.delete(id);
        });
    }, restMs);
    return () => clearTimeout(timer);
  }, [queryClient, conversationId, wanted, error]);
  return { error, retry: () => setError(null) };
}
