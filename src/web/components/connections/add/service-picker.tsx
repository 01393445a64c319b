import { type KeyboardEvent, useState } from "react";
import { serviceGroups } from "#contract/filters/model-filters.ts";
import { tasks } from "#contract/tasks.ts";
import type {
  ConnectionKind,
  FoundService,
  ListedConnection,
} from "../../../data/queries/connections.queries.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { ProviderProblem } from "../provider-problem.tsx";
import { ServiceMark } from "./service-mark.tsx";
import { offersOf } from "./service-offer.ts";
import styles from "./service-picker.module.css";
import { useFoundServices } from "./use-found-services.ts";

export type ServicePickerProps = {
  kinds: readonly ConnectionKind[];
  connections: readonly ListedConnection[];
  /** Only admins can connect detected services, for everyone. */
  mayTakeFound: boolean;
  onPick: (kind: string) => void;
  onAdded: (connectionId: string) => void;
};

/**
 * Services by group, each with its offerings; services detected on this machine come first. Enter
 * takes the first match.
 */
export function ServicePicker({
  kinds,
  connections,
  mayTakeFound,
  onPick,
  onAdded,
}: ServicePickerProps) {
  const [query, setQuery] = useState("");
  const found = useFoundServices(connections, onAdded, mayTakeFound);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const services = mayTakeFound
    ? found.services.filter(({ name, detail }) => fits(`${name} ${detail}`))
    : [];
  const groups = serviceGroups
    .map((group) => ({
      group,
      members: kinds.filter((kind) => kind.group === group && fits(wordsOf(kind))),
    }))
    .filter(({ members }) => members.length > 0);
  const takeFirst = (event: KeyboardEvent) => {
    const first = groups[0]?.members[0];
    if (event.key !== "Enter" || words.length === 0 || !first) return;
    event.preventDefault();
    onPick(first.kind);
  };
  const other = kinds.find(({ kind }) => kind === "openai-compatible");
  return (
    <>
      <SearchField
        label={t("connections.kinds.find")}
        className={styles.find}
        value={query}
        onValueChange={setQuery}
        onKeyDown={takeFirst}
      />
      {services.length > 0 && (
        <Group id="found" title={t("connections.found")}>
          {services.map((service) => (
            <FoundCard
              key={service.take}
              service={service}
              isBusy={found.taking === service.take}
              disabled={found.taking !== undefined}
              onTake={() => (service.needsKey ? onPick(service.kind) : found.take(service))}
            />
          ))}
        </Group>
      )}
      <ProviderProblem error={found.error} isKept={false} />
      {groups.map(({ group, members }) => (
        <Group key={group} id={group} title={t(`connections.group.${group}`)}>
          {members.map((kind) => (
            <KindCard key={kind.kind} kind={kind} onPick={() => onPick(kind.kind)} />
          ))}
        </Group>
      ))}
      <output className={styles.none}>
        {groups.length + services.length === 0 && t("connections.kinds.none")}
      </output>
      {other && (
        <p className={styles.other}>
          {t("connections.kinds.other")}
          <Button variant="ghost" size="small" onClick={() => onPick(other.kind)}>
            {t("connections.kinds.byAddress")}
          </Button>
        </p>
      )}
    </>
  );
}

const wordsOf = ({ name, summary, group, tasks: offered }: ConnectionKind): string =>
  [
    name,
    summary,
    t(`connections.group.${group}`),
    ...offered.map((task) => tasks[task].name),
    ...offersOf(offered).map((offer) => t(offer.words)),
  ].join(" ");

function Group({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  const headingId = `services-${id}`;
  return (
    <section className={styles.group} aria-labelledby={headingId}>
      <h3 id={headingId} className={styles.heading}>
        {title}
      </h3>
      <ul className={styles.cards} aria-labelledby={headingId}>
        {children}
      </ul>
    </section>
  );
}

const KindCard = ({ kind, onPick }: { kind: ConnectionKind; onPick: () => void }) => (
  <li>
    <button type="button" className={styles.card} onClick={onPick}>
      <ServiceMark kind={kind.kind} name={kind.name} />
      <span className={styles.words}>
        <span className={styles.name}>{kind.name}</span>
        <span className={styles.summary}>{kind.summary}</span>
        <span className={styles.offers}>
          {offersOf(kind.tasks).map(({ icon: Icon, words }) => (
            <span key={words}>
              <Icon aria-hidden />
              {t(words)}
            </span>
          ))}
        </span>
      </span>
    </button>
  </li>
);

type FoundCardProps = {
  service: FoundService;
  isBusy: boolean;
  disabled: boolean;
  onTake: () => void;
};

const FoundCard = ({ service, isBusy, disabled, onTake }: FoundCardProps) => (
  <li>
    <button
      type="button"
      className={classes(styles.card, styles.found)}
      aria-busy={isBusy || undefined}
      disabled={disabled}
      onClick={onTake}
    >
      <ServiceMark kind={service.kind} name={service.name} />
      <span className={styles.words}>
        <span className={styles.name}>{service.name}</span>
        <span className={styles.summary}>{service.detail}</span>
        <span className={styles.take}>
          {t(service.needsKey ? "connections.found.enterKey" : "connections.connect")}
        </span>
      </span>
    </button>
  </li>
);
