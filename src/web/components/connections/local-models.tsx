import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import type { LocalModelState } from "#contract/filters/model-filters.ts";
import { call } from "../../data/client.ts";
import { refreshAfter } from "../../data/keys.ts";
import {
  connectionModelsQuery,
  type ListedConnection,
  localModelsQuery,
} from "../../data/queries/connections.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { InspectorSection } from "../../frame/inspector.tsx";
import { formatBytes } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./connections.module.css";
import { ProviderProblem } from "./provider-problem.tsx";
import { PullModel } from "./pull-model.tsx";

/**
 * A local server's models: shows which are in memory, and loads, unloads, pulls and deletes them.
 */
export function LocalModels({ connection }: { connection: ListedConnection }) {
  const { project } = useSession();
  const listed = useQuery(connectionModelsQuery(project.id, connection.id));
  const server = useQuery(localModelsQuery(connection.id));
  const [removing, setRemoving] = useState<string | null>(null);
  const move = useMoveModel(connection.id);
  const { models = [], loaded = [], acts = [] } = server.data ?? {};
  const may = (act: (typeof acts)[number]) => connection.mayManage && acts.includes(act);
  const bytesOf = (model: string) => loaded.find((entry) => entry.model === model)?.bytes;
  const inMemory = models.filter(({ state }) => isHeld(state));
  const others = models.filter(({ state }) => !isHeld(state));
  // A server without its own list is shown by the catalog's models. A model in memory may have a
  // different id there.
  const listedOnly = (listed.data ?? []).filter(
    ({ modelId, name }) => !models.some((one) => one.model === modelId || one.name === name),
  );
  const button = (act: "load" | "unload", { model, name }: (typeof models)[number]) =>
    may(act) && (
      <MoveButton
        act={act}
        name={name}
        isBusy={move.isPending && move.variables.model === model}
        isDisabled={move.isPending}
        onMove={() => move.mutate({ act, model, name })}
      />
    );
  return (
    <>
      <InspectorSection title={t("connections.local.loaded")}>
        {server.error ? (
          <ErrorState compact error={server.error} onRetry={() => void server.refetch()} />
        ) : inMemory.length > 0 ? (
          <ul className={styles.models} aria-label={t("connections.local.loaded")}>
            {inMemory.map((entry) => (
              <li key={entry.model} data-row className={styles.model}>
                <span className={styles.modelName}>{entry.name}</span>
                <span className={styles.size}>
                  {entry.state === "loaded"
                    ? formatBytesOf(bytesOf(entry.model))
                    : t(`connections.local.state.${entry.state}`)}
                </span>
                {entry.state !== "downloading" && button("unload", entry)}
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.note}>
            {server.data ? t("connections.local.noneLoaded") : t("ui.loading")}
          </p>
        )}
        <ProviderProblem error={move.error} />
      </InspectorSection>
      {may("pull") && (
        <InspectorSection title={t("connections.local.pull")}>
          <PullModel connectionId={connection.id} />
        </InspectorSection>
      )}
      <InspectorSection title={t("connections.local.models")}>
        {listed.error && (
          <ErrorState compact error={listed.error} onRetry={() => void listed.refetch()} />
        )}
        {listed.isPending && <SkeletonText lines={3} />}
        {listed.data?.length === 0 && models.length === 0 && (
          <p className={styles.note}>
            {t(may("pull") ? "connections.local.none" : "connections.local.noneThere")}
          </p>
        )}
        <ul className={styles.models} aria-label={t("connections.local.models")}>
          {[
            ...others,
            ...listedOnly.map(({ modelId, name }) => ({
              model: modelId,
              name,
              state: "loaded" as const,
            })),
            ...inMemory,
          ]
            .toSorted((one, other) => one.name.localeCompare(other.name))
            .map((entry) => (
              <li key={entry.model} data-row className={styles.model}>
                <span className={styles.modelName}>{entry.name}</span>
                {entry.state === "failed" && (
                  <span className={styles.size}>{t("connections.local.state.failed")}</span>
                )}
                {!isHeld(entry.state) && button("load", entry)}
                {may("remove") && (
                  <IconButton
                    size="small"
                    icon={Trash2}
                    label={t("connections.local.delete", { name: entry.name })}
                    onClick={() => setRemoving(entry.model)}
                  />
                )}
              </li>
            ))}
        </ul>
      </InspectorSection>
      <DeleteModel
        connectionId={connection.id}
        model={removing}
        onClose={() => setRemoving(null)}
      />
    </>
  );
}

const isHeld = (state: LocalModelState): boolean => state !== "unloaded" && state !== "failed";
const formatBytesOf = (bytes: number | undefined) =>
  bytes === undefined ? "" : formatBytes(bytes);

type MoveButtonProps = {
  act: "load" | "unload";
  name: string;
  isBusy: boolean;
  isDisabled: boolean;
  onMove: () => void;
};

function MoveButton({ act, name, isBusy, isDisabled, onMove }: MoveButtonProps) {
  const title = t(`connections.local.${act}`);
  const at = useRowActions<HTMLButtonElement>(
    name,
    isDisabled ? [] : [{ id: act, title, run: onMove }],
  );
  return (
    <Button
      ref={at}
      size="small"
      variant="ghost"
      aria-label={t(`connections.local.${act}.of`, { name })}
      busy={isBusy}
      disabled={isDisabled}
      onClick={onMove}
    >
      {title}
    </Button>
  );
}

/** Loads or unloads one model at a time. */
function useMoveModel(connectionId: string) {
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: ({ act, model }: { act: "load" | "unload"; model: string; name: string }) =>
      call(act === "load" ? "loadLocalModel" : "unloadLocalModel", {
        params: { connectionId },
        body: { model },
      }),
    onSuccess: (_answer, { act, name }) =>
      toast({ text: t(`connections.local.${act}.done`, { name }) }),
    onSettled: () => refreshAfter(queryClient, "connection"),
  });
}

function DeleteModel({
  connectionId,
  model,
  onClose,
}: {
  connectionId: string;
  model: string | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: (name: string) =>
      call("removeLocalModel", { params: { connectionId }, query: { model: name } }),
    onSuccess: (_answer, name) => {
      toast({ text: t("connections.local.deleted", { name }) });
      onClose();
      return refreshAfter(queryClient, "connection");
    },
  });
  return (
    <ConfirmDialog
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("connections.local.deleteTitle", { name: model ?? "" })}
      confirmLabel={t("connections.local.deleteConfirm")}
      danger
      busy={remove.isPending}
      onConfirm={() => model !== null && remove.mutate(model)}
    >
      <p>{t("connections.local.deleteText")}</p>
      <ProviderProblem error={remove.error} />
    </ConfirmDialog>
  );
}
