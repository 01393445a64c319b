import { useQuery } from "@tanstack/react-query";
import { Laptop, Smartphone } from "lucide-react";
import type { Session } from "#contract/entities.ts";
import { sessionsQuery, useEndSessions } from "../../data/queries/settings.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import { formatExact, formatWhen } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { List, ListRow, ListSkeleton } from "../../ui/lists/list.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { nameDevice } from "./name-device.ts";

/** The person's sessions; each except this one can be signed out. */
export function SessionList() {
  const sessions = useQuery(sessionsQuery);
  const end = useEndSessions();
  const toast = useToast();
  const showError = useErrorToast();
  // This session comes first, because it is the one that a person looks for.
  const list = [...(sessions.data ?? [])].sort(
    (a, b) => Number(b.current) - Number(a.current) || b.createdAt - a.createdAt,
  );
  const others = list.filter(({ current }) => !current).map(({ id }) => id);
  const endAll = (ids: readonly string[]) =>
    end.mutate(ids, {
      onSuccess: () => toast({ text: t("settings.sessions.ended", { count: ids.length }) }),
      onError: showError,
    });
  const action = others.length > 1 && (
    <ActionButton
      action="sessions.endOthers"
      size="small"
      busy={end.isPending && (end.variables?.length ?? 0) > 1}
      onClick={() => endAll(others)}
    >
      {t("settings.sessions.endOthers")}
    </ActionButton>
  );
  return (
    <PageSection
      title={t("settings.sessions")}
      action={action}
      intro={t("settings.sessions.intro")}
    >
      {sessions.isPending && <ListSkeleton label={t("ui.loading")} rows={2} />}
      {sessions.error && (
        <ErrorState compact error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
      {sessions.data && (
        <List label={t("settings.sessions")}>
          {list.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isEnding={end.isPending}
              onEnd={() => endAll([session.id])}
            />
          ))}
        </List>
      )}
    </PageSection>
  );
}

function SessionRow({
  session,
  isEnding,
  onEnd,
}: {
  session: Session;
  isEnding: boolean;
  onEnd: () => void;
}) {
  const now = useNow();
  const device = nameDevice(session.userAgent);
  const name = device ? t("settings.sessions.device", device) : t("settings.sessions.unknown");
  const when = formatWhen(session.createdAt, now);
  const isPhone = ["iPhone", "iPad", "Android"].includes(device?.system ?? "");
  return (
    <ListRow
      start={isPhone ? <Smartphone aria-hidden /> : <Laptop aria-hidden />}
      title={name}
      badge={session.current && <Badge tone="ok">{t("settings.sessions.current")}</Badge>}
      detail={
        <span data-tooltip={formatExact(session.createdAt)}>
          {session.ip
            ? t("settings.sessions.detail", { when, address: session.ip })
            : t("settings.sessions.since", { when })}
        </span>
      }
      end={
        !session.current && (
          <Button
            size="small"
            aria-label={t("settings.sessions.endOf", { device: name })}
            disabled={isEnding}
            onClick={onEnd}
          >
            {t("settings.sessions.end")}
          </Button>
        )
      }
    />
  );
}
