import { ArrowLeft } from "lucide-react";
import { type RefObject, useId, useRef, useState } from "react";
import { tasks } from "#contract/tasks.ts";
import {
  type ConnectionKind,
  type ConnectionPlace,
  useConnect,
} from "../../data/queries/connections.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SearchField } from "../../ui/controls/text-field.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { ConnectionForm } from "./connection-form.tsx";
import styles from "./connections.module.css";

export type AddConnectionDialogProps = {
  place: ConnectionPlace;
  kinds: readonly ConnectionKind[];
  /** Undefined: closed. "" or an unknown kind: choosing one. Lives in the address, so that others can link to a kind. */
  picked: string | undefined;
  onPick: (kind: string | null) => void;
  onAdded: (connectionId: string) => void;
};

/** First the kind, then its fields alone. What the provider says to the first check stays in the form. */
export function AddConnectionDialog({
  place,
  kinds,
  picked,
  onPick,
  onAdded,
}: AddConnectionDialogProps) {
  const formId = useId();
  const connect = useConnect(place);
  const toast = useToast();
  const firstKind = useRef<HTMLButtonElement>(null);
  const kind = kinds.find((candidate) => candidate.kind === picked);
  const pick = (next: string | null) => {
    connect.reset();
    onPick(next);
  };
  const footer = kind && (
    <>
      <Button variant="ghost" icon={ArrowLeft} onClick={() => pick("")}>
        {t("connections.add.back")}
      </Button>
      <Button type="submit" form={formId} variant="primary" busy={connect.isPending}>
        {t("connections.add.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={picked !== undefined}
      onOpenChange={(open) => !open && pick(null)}
      title={kind ? t("connections.add.kind", { name: kind.name }) : t("connections.add")}
      description={kind ? kind.summary : t("connections.add.intro")}
      footer={footer}
      size={kind ? "medium" : "wide"}
      initialFocus={kind ? undefined : firstKind}
    >
      {kind ? (
        <>
          {place.scope !== "instance" && kind.free && (
            <p className={styles.note}>{t("connections.add.publicOnly")}</p>
          )}
          <ConnectionForm
            key={kind.kind}
            id={formId}
            kind={kind}
            error={connect.error}
            onSubmit={async (name, values) => {
              const { connection, message } = await connect.mutateAsync({
                kind: kind.kind,
                name,
                values,
              });
              // One at which somebody has to sign in first is kept, and not there yet.
              const works = connection.status === "ok";
              toast({
                text: t(works ? "connections.connected" : "connections.saved", {
                  name: connection.name,
                }),
                detail: message,
              });
              onAdded(connection.id);
            }}
          />
        </>
      ) : (
        <KindPicker kinds={kinds} first={firstKind} onPick={pick} />
      )}
    </Dialog>
  );
}

type KindPickerProps = {
  kinds: readonly ConnectionKind[];
  first: RefObject<HTMLButtonElement | null>;
  onPick: (kind: string) => void;
};

/** So many are looked over at a glance. */
const atAGlance = 8;

function KindPicker({ kinds, first, onPick }: KindPickerProps) {
  const [query, setQuery] = useState("");
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = kinds.filter((kind) => words.every((word) => wordsOf(kind).includes(word)));
  return (
    <>
      {kinds.length > atAGlance && (
        <SearchField
          label={t("connections.kinds.find")}
          className={styles.findKind}
          value={query}
          onValueChange={setQuery}
        />
      )}
      <ul className={styles.kinds} aria-label={t("connections.kinds")}>
        {found.map(({ kind, name, summary, tasks: offered }, index) => (
          <li key={kind}>
            <button
              ref={index === 0 ? first : undefined}
              type="button"
              className={styles.kind}
              onClick={() => onPick(kind)}
            >
              <span className={styles.kindName}>{name}</span>
              <span className={styles.kindSummary}>{summary}</span>
              <span className={styles.kindTasks}>
                {offered.map((task) => tasks[task].name).join(", ")}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <output className={styles.missing}>
        {found.length === 0 && t("connections.kinds.none")}
      </output>
    </>
  );
}

const wordsOf = ({ name, summary, tasks: offered }: ConnectionKind): string =>
  [name, summary, ...offered.map((task) => tasks[task].name)].join(" ").toLowerCase();
