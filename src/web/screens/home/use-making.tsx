import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Task } from "#contract/tasks.ts";
import type { Draft } from "../../components/composer/message-draft.ts";
import { estimatePrice } from "../../components/model/estimate-price.ts";
import { newAttemptKey } from "../../data/attempt-key.ts";
import { makeRuns } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { toInput, useMakingModel } from "./use-making-model.ts";

/** Starts a run of the task's last used model, in Create's feed. */
export function useMaking(task: Task, draft: Draft, clear: () => void) {
  const { project } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { model, isLoading, error: modelError } = useMakingModel(project.id, task);
  const [failure, setFailure] = useState<unknown>(null);
  const [isMaking, setMaking] = useState(false);
  /** One idempotency key per request, so that a retry after a lost connection makes nothing twice. */
  const unanswered = useRef<{ wish: string; key: string } | null>(null);
  const input = model ? toInput(model, draft) : null;
  return {
    model: model && (
      <Link
        to="/create"
        search={{ task }}
        className={buttonClass({ size: "small" })}
        aria-label={t("home.model.make", { name: model.name })}
      >
        {model.name}
      </Link>
    ),
    price: model && input ? formatPrice(estimatePrice(model, { input, variants: 1 })) : null,
    error: failure ?? modelError,
    retry: undefined,
    blocked: isLoading || isMaking ? t("ui.loading") : model ? null : t("home.noModel"),
    send: async () => {
      if (!model || !input) return;
      const { connectionId, modelId } = model;
      const wish = {
        projectId: project.id,
        models: [{ connectionId, modelId }],
        task,
        input,
        variants: 1,
      };
      const asText = JSON.stringify(wish);
      if (unanswered.current?.wish !== asText)
        unanswered.current = { wish: asText, key: newAttemptKey() };
      setFailure(null);
      setMaking(true);
      try {
        await makeRuns(queryClient, { ...wish, idempotencyKey: unanswered.current.key });
        unanswered.current = null;
        clear();
        void navigate({ to: "/create" });
      } catch (error) {
        setFailure(error);
      } finally {
        setMaking(false);
      }
    },
  };
}
