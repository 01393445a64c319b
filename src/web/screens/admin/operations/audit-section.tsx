import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { useState } from "react";
import { type AuditAction, auditActions } from "#contract/filters/audit-actions.ts";
import {
  type AuditEvent,
  type AuditFilter,
  auditCsvPath,
  auditQuery,
} from "../../../data/queries/admin/audit.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { useElementAction } from "../../../frame/action-button.tsx";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { useSectionParts } from "../../../frame/sectioned-screen.tsx";
import { formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { Facts } from "../../../ui/display/facts.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import styles from "./operations.module.css";

const isDay = (text: string | undefined): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? "");
const isKnown = (action: string): action is AuditAction =>
  (auditActions as readonly string[]).includes(action);
const kinds = [
  "person",
  "project",
  "api_key",
  "connection",
  "alias",
  "webhook",
  "instance",
  "budget",
  "run",
  "model",
] as const;
const isKind = (kind: string): kind is (typeof kinds)[number] =>
  (kinds as readonly string[]).includes(kind);

/** Actions from other versions that this page doesn't know are shown by their code. */
const actionText = (action: string): string => (isKnown(action) ? t(`audit.do.${action}`) : action);
const kindText = (kind: string): string => (isKind(kind) ? t(`audit.kind.${kind}`) : kind);
const actorText = ({ actor }: AuditEvent): string =>
  actor ? actor.name || t("audit.deleted") : t("audit.bottega");
/** The actor and the target. People who change their own account are named once. */
const rowText = (event: AuditEvent): string => {
  const { actor, target } = event;
  const isOwn = target.kind === "person" && target.id === actor?.id;
  return [actorText(event), ...(isOwn ? [] : [target.name || kindText(target.kind)])].join(" · ");
};

/** People's actions, filtered by person, action and day. */
export function AuditSection() {
  const [search = "", setSearch] = useSearchValue("q");
  const [action, setAction] = useSearchValue("action");
  const [from, setFrom] = useSearchValue("from");
  const [to, setTo] = useSearchValue("to");
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const q = useDebounced(search.trim());
  const filter: AuditFilter = {
    ...(q && { q }),
    ...(action && { action }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const events = useInfiniteQuery(auditQuery(filter));
  const list = events.data?.pages.flatMap((page) => page.events) ?? [];
  const csv = useElementAction<HTMLAnchorElement>({
    id: "audit.download",
    title: t("audit.download"),
    icon: Download,
  });
  useSectionParts({
    actions: (
      <a
        ref={csv}
        href={auditCsvPath(filter)}
        download
        className={classes(buttonClass(), styles.link)}
        aria-label={t("audit.download")}
      >
        <Download aria-hidden size={16} />
        {t("audit.download")}
      </a>
    ),
    ...(opened && {
      inspector: {
        title: t("audit.entry"),
        isOpen: true,
        onOpenChange: () => setOpened(null),
        children: <Entry event={opened} />,
      },
    }),
  });
  const isEmpty = list.length === 0 && !isFiltered && !events.isPending && !events.error;
  if (isEmpty)
    return (
      <PageColumn>
        <EmptyState icon={ScrollText} title={t("audit.empty")}>
          {t("audit.empty.text")}
        </EmptyState>
      </PageColumn>
    );
  return (
    <PageColumn>
      <PageSection intro={t("audit.intro")}>
        <div className={styles.filters}>
          <TextField
            label={t("audit.search")}
            type="search"
            value={search}
            onValueChange={(value) => setSearch(value || null)}
          />
          <SelectField
            label={t("audit.action")}
            value={action ?? ""}
            onValueChange={(value) => setAction(value || null)}
            options={[
              { value: "", label: t("audit.action.all") },
              ...auditActions.map((value) => ({
                value: value as string,
                label: actionText(value),
              })),
            ]}
          />
          <TextField
            label={t("audit.from")}
            type="date"
            value={from ?? ""}
            onValueChange={(value) => setFrom(value || null)}
          />
          <TextField
            label={t("audit.to")}
            type="date"
            value={to ?? ""}
            onValueChange={(value) => setTo(value || null)}
          />
        </div>
        <ListState query={events} rows={8} none={list.length === 0 && t("audit.none")} />
        {list.length > 0 && (
          <List label={t("audit.title")}>
            {list.map((event) => (
              <ListRow
                key={event.id}
                title={actionText(event.action)}
                detail={rowText(event)}
                end={<Time at={event.at} className={styles.when} />}
                onOpen={() => setOpened(event.id === opened?.id ? null : event)}
                isOpen={event.id === opened?.id}
              />
            ))}
          </List>
        )}
        <ListMore query={events} />
      </PageSection>
    </PageColumn>
  );
}

function Entry({ event }: { event: AuditEvent }) {
  const { actor, target, ip, detail, at } = event;
  return (
    <>
      <InspectorSection>
        <Facts
          facts={[
            [t("audit.what"), actionText(event.action)],
            [t("audit.who"), actorText(event)],
            [t("audit.email"), actor?.email || null],
            [t("audit.when"), formatExact(at)],
            [t("audit.target"), `${kindText(target.kind)} ${target.name}`.trim()],
            [t("audit.target.id"), target.id],
            [t("audit.address"), ip],
          ]}
        />
      </InspectorSection>
      {Object.keys(detail).length > 0 && (
        <InspectorSection title={t("audit.details")}>
          <pre className={styles.json}>{JSON.stringify(detail, null, 2)}</pre>
        </InspectorSection>
      )}
    </>
  );
}
