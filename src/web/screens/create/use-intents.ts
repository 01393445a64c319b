import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Asset, ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { isMadeByForm, type Task, taskNames } from "#contract/tasks.ts";
import { fromModelPath } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { assetQuery, runQuery } from "../../data/queries/shared.queries.ts";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";

type Intents = {
  /** Loads a run's recipe into the form. */
  onRemix: (run: Run) => void;
  /** Loads a run just made elsewhere, to continue from. */
  onMade: (run: Run) => void;
  /** Chooses a task and puts the file into its form. */
  onTask: (task: Task, asset: Asset | null) => void;
  /** Chooses a model and fills the form with a file or an example. */
  onModel: (task: Task, ref: ModelRef, asset: Asset | null, example?: JsonObject) => Promise<void>;
  onAsset: (asset: Asset) => void;
};

/**
 * Applies the address once: ?remix=<runId>, ?made=<runId>, ?model=<connectionId>/<modelId>, ?task=,
 * ?asset=<id>, ?example=<index of the model's example>. Then removes the parameters, so that a
 * reload doesn't overwrite typed values.
 * @returns whether loading is in progress; until then the form isn't the requested one and must not
 *   be sent
 */
export function useIntents(projectId: string, intents: Intents): boolean {
  const { remix, made, model, task, asset, example } = useSearch({ strict: false });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const taken = useRef("");
  const key = [remix, made, model, task, asset, example].join("\n");
  const [followed, setFollowed] = useState("");
  useEffect(() => {
    if (taken.current === key) return;
    taken.current = key;
    if (key.trim() === "") return;
    const follow = async () => {
      const wanted = taskNames.find((name) => name === task);
      const recipe = remix ?? made;
      if (recipe) {
        const { run } = await queryClient.fetchQuery({ ...runQuery(recipe), retry: false });
        return remix ? intents.onRemix(run) : intents.onMade(run);
      }
      const given = asset
        ? (await queryClient.fetchQuery({ ...assetQuery(asset), retry: false })).asset
        : null;
      const ref = fromModelPath(model);
      if (ref) {
        const detail = await queryClient.fetchQuery(modelQuery(projectId, ref));
        const does =
          wanted && detail.tasks.includes(wanted) ? wanted : detail.tasks.find(isMadeByForm);
        const examples = example
          ? (await import("../../components/model/input-examples.ts")).examplesOf(
              detail.inputSchema,
            )
          : [];
        if (does) await intents.onModel(does, ref, given, examples[Number(example)]?.input);
        return;
      }
      if (wanted && isMadeByForm(wanted)) intents.onTask(wanted, given);
      else if (given) intents.onAsset(given);
    };
    follow()
      .catch(showError)
      .finally(() => {
        setFollowed(key);
        void navigate({
          to: ".",
          search: ({ remix: _, made: _made, model: __, task: ___, asset: ____, ...rest }) => {
            const { example: _____, ...others } = rest;
            return others;
          },
          replace: true,
        });
      });
  });
  return key.trim() !== "" && followed !== key;
}
