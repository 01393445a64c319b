import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { clearDevice } from "../../data/app-data.ts";
import { call } from "../../data/client.ts";
import { keys, refreshAfter } from "../../data/keys.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { SelectField } from "../../ui/controls/select.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { countLines } from "./count-lines.ts";
import { DeletionDialog } from "./deletion-dialog.tsx";
import { LoadingDialog } from "./loading-dialog.tsx";

type Facts = RouteOutput<"getMyDeletion">;
type SharedWork = "stays" | "goes";

type DeletePersonProps = {
  /** Null means the signed-in person. */
  userId: string | null;
  onClose: () => void;
};

/**
 * Deletes a person. An admin confirms with the person's address, the person with their password.
 */
export function DeletePerson({ userId, onClose }: DeletePersonProps) {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const toast = useToast();
  const [sharedWork, setSharedWork] = useState<SharedWork>("stays");
  const facts = useQuery({
    queryKey: keys.people(userId ?? "me", "deletion"),
    queryFn: ({ signal }) =>
      userId === null
        ? call("getMyDeletion", { signal })
        : call("getPersonDeletion", { params: { userId }, signal }),
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: ({ typed, settles }: { typed: string; settles: boolean }) =>
      userId === null
        ? call("deleteMe", { body: { password: typed, settles, sharedWork } })
        : call("deletePerson", {
            params: { userId },
            body: { email: typed, settles, sharedWork },
          }),
    onSuccess: async () => {
      if (userId === null) {
        // The account is gone, so nothing of the person's may stay on this page.
        await clearDevice(queryClient, user.id);
        location.assign("/");
        return;
      }
      onClose();
      toast({ text: t("deletion.person.done", { name: facts.data?.name ?? "" }) });
      await refreshAfter(queryClient, "deletion");
    },
    onError: () => void facts.refetch(),
  });
  if (!facts.data)
    return (
      <LoadingDialog
        title={t(userId === null ? "deletion.me.title" : "deletion.person.submit")}
        error={facts.error}
        onRetry={() => void facts.refetch()}
        onClose={onClose}
      />
    );
  const { name, email, shared, handsOver, stays, open } = facts.data;
  const sharedLines = countLines([
    ["deletion.shared.conversations", shared.conversations],
    ["deletion.shared.files", shared.files],
    ["deletion.comparisons", shared.comparisons],
    ["deletion.shared.runs", shared.runs],
  ]);
  return (
    <DeletionDialog
      title={userId === null ? t("deletion.me.title") : t("deletion.title", { name })}
      when={t(userId === null ? "deletion.me.when" : "deletion.person.when")}
      goes={goesWith(facts.data)}
      moves={handsOver.map(({ name, to, losesName }) =>
        t("deletion.person.handsOver", { name, to, losesName: String(losesName) }),
      )}
      stays={
        stays.spentMicros + stays.unpricedRuns > 0
          ? [
              t("deletion.person.books", {
                money: formatSpent(stays.spentMicros, stays.unpricedRuns),
                name: t("deletion.person.inBooks"),
              }),
            ]
          : []
      }
      open={open}
      confirm={
        userId === null
          ? { field: "password", label: t("deletion.me.confirm"), expected: null }
          : { field: "email", label: t("deletion.person.confirm"), expected: email }
      }
      submit={t(userId === null ? "deletion.me.submit" : "deletion.person.submit")}
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={(answered) => remove.mutate(answered)}
      onClose={onClose}
    >
      {sharedLines.length > 0 && (
        <SelectField
          label={t("deletion.person.shared")}
          hint={t("deletion.person.shared.hint", { list: sharedLines.join(", ") })}
          value={sharedWork}
          onValueChange={setSharedWork}
          options={[
            { value: "stays" as const, label: t("deletion.person.shared.stays") },
            { value: "goes" as const, label: t("deletion.person.shared.goes") },
          ]}
        />
      )}
    </DeletionDialog>
  );
}

const goesWith = ({ goes }: Facts): string[] => [
  t("deletion.account"),
  ...countLines([
    ["deletion.person.private", goes.conversations],
    ["deletion.person.privateFiles", goes.files],
    ["deletion.keys", goes.keys],
    ["deletion.sessions", goes.sessions],
    ["deletion.connections", goes.connections],
  ]),
  ...goes.projects.map(({ name }) => t("deletion.person.projects", { name })),
];
