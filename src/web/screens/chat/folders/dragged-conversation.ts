import type { DragEvent } from "react";

const type = "application/x-bottega-conversation";

/** Lets a row of the list be dropped onto a folder. */
export const dragConversation =
  (conversationId: string) =>
  ({ dataTransfer }: DragEvent): void => {
    dataTransfer.setData(type, conversationId);
    dataTransfer.effectAllowed = "move";
  };

export const holdsConversation = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer.types.includes(type);

export const droppedConversation = ({ dataTransfer }: DragEvent): string =>
  dataTransfer.getData(type);
