import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Asset, ModelRef } from "#contract/entities.ts";
import { isSameModel, toModelRef } from "../../data/model-ref.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
import { readChoice, readDraft } from "../../data/saved/create-draft.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatPrice } from "../../messages/format.ts";
import { estimatePrice } from "../model/estimate-price.ts";
import { withFile } from "../schema-form/field-facts.ts";

/**
 * The model that animates this picture: Create's last video model if it accepts images, otherwise
 * the first that does. The price is the one that Create's form shows initially; null while the
 * model loads. `isComing` until it is known whether there is one, and its price.
 */
export function useAnimation(picture: Asset | undefined): {
  model: ModelRef | null;
  price: string | null;
  isComing: boolean;
} {
  const { user, project } = useSession();
  const films = useInfiniteQuery({
    ...modelsQuery(project.id, { task: "video", takes: "image" }),
    enabled: picture !== undefined,
  });
  const offered = films.data?.pages.flatMap(({ models }) => models) ?? [];
  const lastUsed = readChoice(user.id, project.id).models.video?.[0];
  const chosen =
    offered.find((model) => lastUsed && isSameModel(model, lastUsed)) ??
    offered.find(({ status }) => status === "active") ??
    offered[0];
  const ref = picture && chosen ? toModelRef(chosen) : null;
  const { data: model, isLoading } = useQuery(modelQuery(project.id, ref));
  const isComing = films.isLoading || isLoading;
  if (!picture || !ref || !model) return { model: ref, price: null, isComing };
  const draft = readDraft(user.id, project.id, ref);
  const input = withFile(model.inputSchema, draft, picture) ?? draft;
  const price = formatPrice(estimatePrice(model, { input, variants: 1 }));
  return { model: ref, price, isComing };
}
