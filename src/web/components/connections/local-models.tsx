import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../data/client.ts";
import { refreshAfter } from "../../data/keys.ts";
import {
  connectionModelsQuery,
  type ListedConnection,
  loadedModelsQuery,
} from "../../data/queries/connections.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { InspectorSection } from "../../frame/inspector.tsx";
import { formatBytes } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./connections.module.css";
import { ProviderProblem } from "./provider-problem.tsx";
import { PullModel } from "./pull-model.tsx";

/** A local server's own models: which are in memory, which are there, pulling and deleting. */
export function LocalModels({ connection }: { connection: ListedConnection }) {
  const { project } = useSession();
  const models = useQuery(connectionModelsQuery(project.id, connection.id));
  const loaded = useQuery(loadedModelsQuery(connection.id));
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <>
      <InspectorSection title={t("connections.local.loaded")}>
        {loaded.error ? (
          <ErrorState compact error={loaded.error} onRetry={() => void loaded.refetch()} />
        ) : loaded.data?.length ? (
          <ul className={styles.models}>
            {loaded.data.map(({ model, bytes }) => (
              <li key={model} className={styles.model}>
                <span className={styles.modelName}>{model}</span>
                <span className={styles.size}>{formatBytes(bytes)}</span>
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.note}>
            {loaded.data ? t("connections.local.noneLoaded") : t("ui.loading")}
          </p>
        )}
      </InspectorSection>
      {connection.mayManage && (
        <InspectorSection title={t("connections.local.pull")}>
          <PullModel connectionId={connection.id} />
        </InspectorSection>
      )}
      <InspectorSection title={t("connections.local.models")}>
        {models.error && (
          <ErrorState compact error={models.error} onRetry={() => void models.refetch()} />
        )}
        {models.isPending && <SkeletonText lines={3} />}
        {models.data?.length === 0 && <p className={styles.note}>{t("connections.local.none")}</p>}
        <ul className={styles.models} aria-label={t("connections.local.models")}>
          {models.data?.map(({ modelId, name }) => (
            <li key={modelId} className={styles.model}>
              <span className={styles.modelName}>{name}</span>
              {connection.mayManage && (
                <IconButton
                  size="small"
                  icon={Trash2}
                  label={t("connections.local.delete", { name })}
                  onClick={() => setRemoving(modelId)}
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
