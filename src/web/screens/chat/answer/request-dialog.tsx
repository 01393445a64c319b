import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { messageFileQuery } from "../../../data/queries/chat.queries.ts";
import { t } from "../../../messages/t.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { WholeBranch } from "../thread/whole-branch.tsx";
import styles from "./answer-inspector.module.css";
import type { Turn } from "./request-turns.ts";

const roleText = {
  system: "chat.seen.system",
  user: "chat.seen.user",
  assistant: "chat.seen.assistant",
  tool: "chat.seen.tool",
  context: "chat.seen.summary",
} as const satisfies Record<Turn["role"], string>;

export type RequestDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  turns: readonly Turn[];
  /** Whether all turns are loaded. */
  isRead: boolean;
  error: unknown;
  onRetry: () => void;
  settings: unknown;
};

/**
 * The request verbatim, rebuilt from the same immutable messages that the engine uses. Earlier
 * answers' reasoning isn't sent.
 */
export function RequestDialog({
  open,
  onOpenChange,
  turns,
  isRead,
  error,
  onRetry,
  settings,
}: RequestDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("chat.seen.title")} size="wide">
      <WholeBranch isRead={isRead} error={error} onRetry={onRetry}>
        <div className={styles.turns}>
          {turns.map((turn, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a request never changes
            <section key={index} className={styles.turn}>
              <h3>{t(roleText[turn.role])}</h3>
              {turn.assetIds.map((assetId) => (
                <p key={assetId} className={styles.note}>
                  <RequestFile assetId={assetId} />
                </p>
              ))}
              {turn.text && <p className={styles.turnText}>{turn.text}</p>}
            </section>
          ))}
          <section className={styles.turn}>
            <h3>{t("chat.settings")}</h3>
            <p className={styles.turnText}>{JSON.stringify(settings ?? {}, null, 2)}</p>
          </section>
        </div>
      </WholeBranch>
    </Dialog>
  );
}

/** A file's name, linked to the file. */
export function RequestFile({ assetId }: { assetId: string }) {
  const { data, isError } = useQuery(messageFileQuery(assetId));
  if (isError) return <span>{t("chat.files.gone")}</span>;
  return (
    <Link to="/library/$assetId" params={{ assetId }}>
      {data?.asset.title ?? "…"}
    </Link>
  );
}
