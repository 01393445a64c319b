import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleAlert, SquareTerminal } from "lucide-react";
import { useState } from "react";
import { lifetimeText, scopeText } from "../../components/keys/key-text.ts";
import { type AnyKey, allKeysQuery, useRevokeAnyKey } from "../../data/queries/keys.queries.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { ListSearch } from "../../ui/lists/list-search.tsx";
import { ListState } from "../../ui/lists/list-state.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { useDebounced } from "../../ui/use-debounced.ts";

/** Everyone's API keys, so that any admin can revoke a leaked one. */
export function KeysSection() {
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const keys = useInfiniteQuery(allKeysQuery(q ? { q } : {}));
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
  const pages = keys.data?.pages ?? [];
  const list = pages.flatMap((page) => page.keys);
  const count = keys.isPlaceholderData ? undefined : pages[0]?.count;
  const isSearch = search !== "" || q !== "" || keys.isPlaceholderData;
  return (
    <>
      <PageColumn>
        {count === 0 && !isSearch ? (
          <EmptyState icon={SquareTerminal} title={t("keys.all.empty")}>
            {t("keys.all.empty.text")}
          </EmptyState>
        ) : (
          <PageSection
            title={t("keys.title")}
            aside={count !== undefined && formatCount(count)}
            intro={t("keys.all.intro")}
          >
            <ListSearch
              label={t("keys.all.search")}
              value={search}
              onValueChange={setSearch}
              count={count}
            />
            <ListState query={keys} none={list.length === 0 && t("keys.all.none")} />
            {list.length > 0 && (
              <List label={t("keys.title")}>
                {list.map((key) => (
                  <AnyKeyRow key={key.id} apiKey={key} onRevoke={() => setAsking(key)} />
                ))}
              </List>
            )}
            <ListMore query={keys} />
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
  const { name, prefix, ownerName, projectName, scopes, models, asleep } = apiKey;
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
      detail={[
        t("keys.all.owner", { owner: ownerName, project: projectName }),
        `${prefix}…`,
        scopeText(scopes),
        ...(models ? [t("keys.all.models", { count: models.length })] : []),
        lifetimeText(apiKey, now),
      ].join(" · ")}
      end={
        <Button size="small" aria-label={t("keys.revoke.title", { name })} onClick={onRevoke}>
          {t("keys.revoke")}
        </Button>
      }
    />
  );
}
