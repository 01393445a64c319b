import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Message } from "#contract/entities.ts";
import { listOfIds, useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { messageFileQuery } from "../../../data/queries/chat.queries.ts";

/**
 * Offers a branch's files to the viewer, oldest first: sent, written and generated ones. A long
 * thread never loads whole, so none are expected once its part on screen is loaded.
 */
export function useThreadFiles(
  branch: readonly { id: string }[],
  messages: ReadonlyMap<string, Message>,
  isLoading: boolean,
): void {
  const queryClient = useQueryClient();
  const list = useMemo(() => {
    const ids = new Set(branch.flatMap(({ id }) => filesIn(messages.get(id))));
    return listOfIds(
      [...ids],
      (id) => queryClient.getQueryData(messageFileQuery(id).queryKey)?.asset,
    );
  }, [branch, messages, queryClient]);
  useViewerList(list.count > 0 ? list : isLoading ? "coming" : null);
}

const filesIn = (message: Message | undefined): string[] =>
  (message?.parts ?? []).flatMap((part) => {
    if (part.type === "file") return [part.assetId];
    return part.type === "tool-result" ? part.assetIds : [];
  });
