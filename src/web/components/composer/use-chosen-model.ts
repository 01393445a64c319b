import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { useStored } from "../../data/kept/use-stored.ts";
import { chatModelsQuery } from "../../data/queries/chat.queries.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { firstChoice, isSameModel } from "./first-choice.ts";

function parseRef(stored: string): ModelRef | null {
  const [connectionId, ...rest] = stored.split(" ");
  const modelId = rest.join(" ");
  return connectionId && modelId ? { connectionId, modelId } : null;
}

/** A conversation that exists: the model of its last answer, null without one, undefined until that is known. */
export type Answered = { id: string; model: ModelRef | null | undefined };

type ChoiceOptions = {
  /** Where the choice is remembered: not everything that is asked is asked of the same model. */
  storedAs?: string;
  keep?: (model: Model) => boolean;
};
const everyModel = () => true;
const chatModel = "chat-model";

/**
 * Which model answers next, with its schema and the names of the others. A conversation goes on with the model of its last
 * answer unless another is chosen in it; a new one begins with the person's default, or with the one last used, kept on the device.
 */
export function useChosenModel(
  projectId: string,
  answered?: Answered,
  { storedAs = chatModel, keep = everyModel }: ChoiceOptions = {},
) {
  const { user } = useSession();
  const [stored, setStored] = useStored(storedAs, "");
  /** For the conversation that is about to begin. */
  const [picked, setPicked] = useState<ModelRef | null>(null);
  if (answered && picked) setPicked(null);
  const [choices, setChoices] = useState<Readonly<Record<string, ModelRef>>>({});
  const models = useQuery(chatModelsQuery(projectId, ""));
  const ofPerson = storedAs === chatModel ? user.defaults.chatModel : null;
  const lastUsed = picked ?? ofPerson ?? parseRef(stored);
  const ofConversation = answered && (choices[answered.id] ?? answered.model);
  const isAwaited = answered !== undefined && ofConversation === undefined;
  const wanted = isAwaited ? null : (ofConversation ?? lastUsed);
  // Past the first page of a long list the wanted one is asked for by itself.
  const asked = useQuery(modelQuery(projectId, wanted));
  const listed = (models.data?.models ?? []).filter(keep);
  // A person may have said since that it makes pictures.
  const isUsable =
    asked.data !== undefined &&
    asked.data.status !== "gone" &&
    asked.data.tasks.includes("chat") &&
    keep(asked.data);
  const isOpen = isAwaited || asked.isLoading;
  // A default of another project is passed over for the model last used.
  const usual = [lastUsed, parseRef(stored)].find((one) =>
    listed.some((model) => isSameModel(model, one)),
  );
  const ref = isUsable ? wanted : models.data && !isOpen ? firstChoice(listed, usual) : null;
  const detail = useQuery(modelQuery(projectId, ref));
  return {
    ref,
    model: detail.data ?? listed.find((model) => isSameModel(model, ref)) ?? null,
    inputSchema: detail.data?.inputSchema,
    /** Its schema included, which says what may be sent. */
    isLoading: ref === null ? models.isPending || isOpen : detail.isLoading,
    error: models.error,
    retry: () => void models.refetch(),
    /** Nothing can chat. */
    hasNone: models.data !== undefined && listed.length === 0 && ref === null && !isOpen,
    /** Several can, and the person has to say which. */
    mustChoose: listed.length > 0 && ref === null && !isOpen,
    choose: (choice: ModelRef) => {
      setStored(`${choice.connectionId} ${choice.modelId}`);
      if (!answered) setPicked(choice);
      else setChoices({ ...choices, [answered.id]: choice });
    },
    /** What people call a model; its id where it isn't listed any more. */
    nameOf: (known: ModelRef): string =>
      listed.find((model) => isSameModel(model, known))?.name ??
      (isSameModel(detail.data, known) ? detail.data?.name : undefined) ??
      known.modelId,
    find: (known: ModelRef): Model | undefined => listed.find((model) => isSameModel(model, known)),
  };
}
export type ChosenModel = ReturnType<typeof useChosenModel>;
