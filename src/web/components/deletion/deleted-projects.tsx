import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Folder, RotateCcw } from "lucide-react";
import { call } from "../../data/client.ts";
import { keys, refreshAfter } from "../../data/keys.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { PageSection } from "../../frame/page.tsx";
import { formatWhen } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";

/** Deleted projects that an admin can still restore; renders nothing if there are none. */
export function DeletedProjects() {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();
  const now = useNow();
  const found = useInfiniteQuery({
    queryKey: keys.deletedProjects(),
    queryFn: ({ pageParam, signal }) =>
      call("listDeletedProjects", { query: { cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const restore = useMutation({
    mutationFn: ({ id: projectId }: { id: string; name: string }) =>
      call("restoreProject", { params: { projectId } }),
    onSuccess: (_, { name }) => toast({ text: t("deletion.restored", { name }) }),
    onError: showError,
    onSettled: () => refreshAfter(queryClient, "deletion"),
  });
  const projects = found.data?.pages.flatMap((page) => page.projects) ?? [];
  if (projects.length === 0) return null;
  return (
    <PageSection title={t("deletion.deleted")} intro={t("deletion.deleted.intro")}>
      <List label={t("deletion.deleted")}>
        {projects.map(({ id, name, deletedByName, deletedAt, erasedFrom }) => (
          <ListRow
            key={id}
            start={<Folder aria-hidden />}
            title={name}
            detail={t("deletion.deleted.detail", {
              name: deletedByName,
              when: formatWhen(deletedAt, Math.max(now, deletedAt)),
              until: formatWhen(erasedFrom, now),
            })}
            end={
              <RestoreButton
                name={name}
                isBusy={restore.isPending && restore.variables.id === id}
                onRestore={() => restore.mutate({ id, name })}
              />
            }
          />
        ))}
      </List>
      <ListMore query={found} of={t("deletion.deleted")} />
    </PageSection>
  );
}

type RestoreButtonProps = { name: string; isBusy: boolean; onRestore: () => void };

function RestoreButton({ name, isBusy, onRestore }: RestoreButtonProps) {
  const title = t("deletion.restore");
  const acts = [{ id: "restore", title, icon: RotateCcw, run: onRestore }];
  const at = useRowActions<HTMLButtonElement>(name, isBusy ? [] : acts);
  return (
    <Button
      ref={at}
      size="small"
      aria-label={t("deletion.restore.named", { name })}
      busy={isBusy}
      onClick={onRestore}
    >
      {title}
    </Button>
  );
}
