import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { fromStoredModel, shortName, toStoredModel } from "../../data/model-ref.ts";
import { chatModelsQuery } from "../../data/queries/chat.queries.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { useSession } from "../../data/shell-data.ts";
import { defaultModel, isConnected, isSameModel } from "./default-model.ts";

/**
 * An existing conversation and the model of its last answer: null without an answer, undefined
 * until it is known.
 */
export type Answered = { id: string; model: ModelRef | null | undefined };

type ChoiceOptions = {
  /** The storage slot of the choice, because different screens remember different models. */
  storedAs?: string;
  keep?: (model: Model) => boolean;
};
const everyModel = () => true;
const chatModel = "chat-model";

/**
 * The model for the next answer, with its schema and the other models' names. A conversation
 * continues with the model of its last answer unless the person chooses another. A new one starts
 * with the person's default, or with the last model chosen, which is saved on the device, or else
 * with a connected one.
 */
export function useChosenModel(
  projectId: string,
  answered?: Answered,
  { storedAs = chatModel, keep = everyModel }: ChoiceOptions = {},
) {
  const { user } = useSession();
  const [stored, setStored] = useStored(storedAs, "");
  /** The choice for the next new conversation. */
  const [picked, setPicked] = useState<ModelRef | null>(null);
  if (answered && picked) setPicked(null);
  const [choices, setChoices] = useState<Readonly<Record<string, ModelRef>>>({});
  const models = useQuery(chatModelsQuery(projectId, ""));
  const ofPerson = storedAs === chatModel ? user.defaults.chatModel : null;
  const lastUsed = picked ?? ofPerson ?? fromStoredModel(stored);
  const ofConversation = answered && (choices[answered.id] ?? answered.model);
  const isAwaited = answered !== undefined && ofConversation === undefined;
  const wanted = isAwaited ? null : (ofConversation ?? lastUsed);
  // A model beyond a long list's first page is queried separately.
  const asked = useQuery(modelQuery(projectId, wanted));
  const listed = (models.data?.models ?? []).filter(keep);
  // A person may have changed the model's task to images since.
  const isUsable =
    asked.data !== undefined &&
    asked.data.status !== "gone" &&
    asked.data.tasks.includes("chat") &&
    keep(asked.data);
  const isOpen = isAwaited || asked.isLoading;
  // Skips a default from another project in favor of the last model used.
  const usual = [lastUsed, fromStoredModel(stored)].find((one) =>
    listed.some((model) => isSameModel(model, one)),
  );
  const ref = isUsable ? wanted : models.data && !isOpen ? defaultModel(listed, usual) : null;
  const detail = useQuery(modelQuery(projectId, ref));
  return {
    ref,
    model: detail.data ?? listed.find((model) => isSameModel(model, ref)) ?? null,
    inputSchema: detail.data?.inputSchema,
    /** Includes the schema, which determines the allowed settings. */
    isLoading: ref === null ? models.isPending || isOpen : detail.isLoading,
    error: models.error,
    retry: () => void models.refetch(),
    /** No chat model is available. */
    hasNone: models.data !== undefined && listed.length === 0 && ref === null && !isOpen,
    choose: (choice: ModelRef) => {
      // While the guide is the only model, it is no choice: a model connected later takes over.
      if (!models.data || listed.some(isConnected)) setStored(toStoredModel(choice));
      if (!answered) setPicked(choice);
      else setChoices({ ...choices, [answered.id]: choice });
    },
    /** A model's name, or the end of its id until the name is known. */
    nameOf: (known: ModelRef): string =>
      listed.find((model) => isSameModel(model, known))?.name ??
      (isSameModel(detail.data, known) ? detail.data?.name : undefined) ??
      shortName(known),
    find: (known: ModelRef): Model | undefined => listed.find((model) => isSameModel(model, known)),
  };
}
export type ChosenModel = ReturnType<typeof useChosenModel>;
