import { Link } from "@tanstack/react-router";
import { CircleAlert, Ellipsis, Pencil, RotateCw, SquareTerminal, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  budgetTexts,
  lifetimeText,
  modelsText,
  scopeText,
  spentText,
} from "../../components/keys/key-text.ts";
import {
  type CreatedKey,
  type OwnKey,
  useRevokeKey,
  useRotateKey,
} from "../../data/queries/keys.queries.ts";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { ListRow } from "../../ui/lists/list.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./keys.module.css";

export type KeyRowProps = {
  apiKey: OwnKey;
  onEdit: () => void;
  onMade: (made: CreatedKey) => void;
};

/** One of the person's keys: scopes, spending and actions. */
export function KeyRow({ apiKey, onEdit, onMade }: KeyRowProps) {
  const { id, name, prefix, projectId, projectName, asleep, scopes, models, budgets } = apiKey;
  const now = useNow();
  const toast = useToast();
  const showError = useErrorToast();
  const rotate = useRotateKey();
  const revoke = useRevokeKey();
  const [asking, setAsking] = useState<"rotate" | "revoke" | null>(null);
  const close = { onError: showError, onSettled: () => setAsking(null) };
  const rotateNow = () => rotate.mutate(id, { ...close, onSuccess: onMade });
  const revokeNow = () =>
    revoke.mutate(id, { ...close, onSuccess: () => toast({ text: t("keys.revoked", { name }) }) });
  const spent = spentText(apiKey);
  const menu = t("keys.menu", { name });
  return (
    <>
      <ListRow
        start={<SquareTerminal aria-hidden />}
        title={name}
        badge={
          asleep && (
            <Badge tone="warn" icon={CircleAlert}>
              {t(`keys.asleep.${asleep}`)}
            </Badge>
          )
        }
        detail={
          <span className={styles.lines}>
            <span>
              <span className={styles.token}>{prefix}…</span>{" "}
              {t("keys.detail.project", { project: projectName })}
            </span>
            <span>{scopeText(scopes)}</span>
            {models && <span>{modelsText(models)}</span>}
            <span>{[lifetimeText(apiKey, now), ...budgetTexts(budgets)].join(" · ")}</span>
            {spent && (
              <Link to="/usage" search={{ scope: projectId }}>
                {spent}
              </Link>
            )}
          </span>
        }
        end={
          <ActionMenu
            label={menu}
            trigger={<IconButton icon={Ellipsis} label={menu} />}
            entries={[
              { label: t("keys.edit"), icon: Pencil, onSelect: onEdit },
              { label: t("keys.rotate"), icon: RotateCw, onSelect: () => setAsking("rotate") },
              { separator: true },
              {
                label: t("keys.revoke"),
                icon: Trash2,
                danger: true,
                onSelect: () => setAsking("revoke"),
              },
            ]}
          />
        }
      />
      <ConfirmDialog
        open={asking === "rotate"}
        onOpenChange={(open) => !open && setAsking(null)}
        title={t("keys.rotate.title", { name })}
        confirmLabel={t("keys.rotate.confirm")}
        busy={rotate.isPending}
        onConfirm={rotateNow}
      >
        {t("keys.rotate.text")}
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === "revoke"}
        onOpenChange={(open) => !open && setAsking(null)}
        title={t("keys.revoke.title", { name })}
        confirmLabel={t("keys.revoke.confirm")}
        danger
        busy={revoke.isPending}
        onConfirm={revokeNow}
      >
        {t("keys.revoke.text")}
      </ConfirmDialog>
    </>
  );
}
