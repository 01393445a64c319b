import { useQuery } from "@tanstack/react-query";
import { CircleAlert, SquareTerminal } from "lucide-react";
import { useState } from "react";
import { lifeWords, scopeWords } from "../../components/keys/key-words.ts";
import { type AnyKey, allKeysQuery, useRevokeAnyKey } from "../../data/queries/keys.queries.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ListState } from "../../ui/lists/list-state.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";

/** Everyone's API keys, so that any admin can revoke a leaked one. */
export function KeysSection() {
  const keys = useQuery(allKeysQuery);
  const revoke = useRevokeAnyKey();
  const toast = useToast();
  const showError = useErrorToast();
  const [asking, setAsking] = useState<AnyKey | null>(null);
  const revokeNow = ({ id, name }: AnyKey) =>
    revoke.mutate(id, {
      onSuccess: () => toast({ text: t("keys.revoked", { name }) }),
      onError: showError,
      onSettled: () => setAsking(null),
    });
  const list = keys.data ?? [];
  return (
    <>
      <PageColumn>
        {keys.data?.length === 0 ? (
          <EmptyState icon={SquareTerminal} title={t("keys.all.empty")}>
            {t("keys.all.empty.text")}
          </EmptyState>
        ) : (
          <PageSection
            title={t("keys.title")}
            aside={keys.data ? list.length : undefined}
            intro={t("keys.all.intro")}
          >
            <ListState query={keys} />
            {list.length > 0 && (
              <List label={t("keys.title")}>
                {list.map((key) => (
                  <AnyKeyRow key={key.id} apiKey={key} onRevoke={() => setAsking(key)} />
                ))}
              </List>
            )}
          </PageSection>
        )}
      </PageColumn>
      <ConfirmDialog
        open={asking !== null}
        onOpenChange={(open) => !open && setAsking(null)}
        title={t("keys.revoke.title", { name: asking?.name ?? "" })}
        confirmLabel={t("keys.revoke.confirm")}
        danger
        busy={revoke.isPending}
        onConfirm={() => asking && revokeNow(asking)}
      >
        {t("keys.revoke.text")}
      </ConfirmDialog>
    </>
  );
}

function AnyKeyRow({ apiKey, onRevoke }: { apiKey: AnyKey; onRevoke: () => void }) {
  const now = useNow();
  const { name, prefix, ownerName, projectName, scopes, asleep } = apiKey;
  return (
    <ListRow
      start={<SquareTerminal aria-hidden />}
      title={name}
      badge={
        asleep && (
          <Badge tone="warn" icon={CircleAlert}>
            {t(asleep === "not-member" ? "keys.all.asleep.not-member" : `keys.asleep.${asleep}`)}
          </Badge>
        )
      }
      detail={`${t("keys.all.owner", { owner: ownerName, project: projectName })} · ${prefix}… · ${scopeWords(scopes)} · ${lifeWords(apiKey, now)}`}
      end={
        <Button size="small" aria-label={t("keys.revoke.title", { name })} onClick={onRevoke}>
          {t("keys.revoke")}
        </Button>
      }
    />
  );
}
