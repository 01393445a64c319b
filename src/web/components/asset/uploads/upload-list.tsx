import { CircleAlert, CircleCheck, RotateCw, X } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import styles from "./upload-list.module.css";
import type { Upload, Uploads } from "./use-uploads.ts";

const maxShown = 50;

type UploadActions = Pick<Uploads, "uploads" | "stop" | "dismiss"> & {
  retry: (id: number) => unknown;
};

/** The current uploads, over the corner of their target. */
export function UploadList({
  uploads: { uploads, retry, stop, dismiss },
}: {
  uploads: UploadActions;
}) {
  if (uploads.length === 0) return null;
  const failed = uploads.filter(({ state }) => state === "failed").length;
  const open = uploads.filter(({ state }) => state === "waiting" || state === "sending").length;
  const title =
    open > 0
      ? t("upload.title", { count: open })
      : failed > 0
        ? t("upload.failed", { count: failed })
        : t("upload.done", { count: uploads.length });
  // Failures come first, because they need an action.
  const shown = [...uploads]
    .sort((a, b) => Number(b.state === "failed") - Number(a.state === "failed"))
    .slice(0, maxShown);
  return (
    <section className={styles.list} aria-label={title}>
      <header className={styles.head}>
        <h2>
          <span role="status">{title}</span>
        </h2>
        {open === 0 && (
          <IconButton size="small" icon={X} label={t("upload.dismiss")} onClick={() => dismiss()} />
        )}
      </header>
      <ul>
        {shown.map((upload) => (
          <UploadLine
            key={upload.id}
            upload={upload}
            onRetry={() => void retry(upload.id)}
            onStop={() => stop(upload.id)}
          />
        ))}
      </ul>
    </section>
  );
}

/** One upload with its progress, or the reason that it failed. */
export function UploadLine({
  upload,
  onRetry,
  onStop,
}: {
  upload: Upload;
  onRetry: () => void;
  onStop: () => void;
}) {
  const { file, state, share, error, held, canRetry } = upload;
  return (
    <li className={styles.line}>
      {state === "failed" && <CircleAlert aria-hidden className={styles.bad} />}
      {state === "done" && <CircleCheck aria-hidden className={styles.ok} />}
      <div className={styles.words}>
        <span className={styles.name}>{file.name}</span>
        {error && (
          <span className={styles.error} role="alert">
            {error}
          </span>
        )}
        {state === "sending" && held && (
          <span className={styles.held} role="status">
            {held}
          </span>
        )}
        {(state === "sending" || state === "waiting") && (
          <ProgressBar
            value={state === "sending" ? share : 0}
            label={t("upload.progress", { name: file.name })}
            tone="busy"
          />
        )}
      </div>
      {state === "failed" && canRetry && (
        <IconButton
          size="small"
          icon={RotateCw}
          label={t("upload.retry", { name: file.name })}
          onClick={onRetry}
        />
      )}
      {(state === "sending" || state === "waiting") && (
        <IconButton
          size="small"
          icon={X}
          label={t("upload.cancel", { name: file.name })}
          onClick={onStop}
        />
      )}
    </li>
  );
}
