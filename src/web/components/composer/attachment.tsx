import { FileText, X } from "lucide-react";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { ProgressBar } from "../../ui/display/progress.tsx";
import styles from "./composer.module.css";

export type AttachmentProps = {
  name: string;
  /** The file's size or kind. */
  detail?: string;
  /** A thumbnail address: from this origin, or a blob: address. */
  thumbnail?: string | null;
  /** The uploaded part, from 0 to 1; left out when the upload is complete. */
  progress?: number;
  /** The file's error. */
  error?: string;
  onRemove?: () => void;
};

/** A file attached to a message. */
export function Attachment({
  name,
  detail,
  thumbnail,
  progress,
  error,
  onRemove,
}: AttachmentProps) {
  return (
    <div className={classes(styles.attachment, error && styles.broken)}>
      {thumbnail ? (
        <img src={thumbnail} alt="" />
      ) : (
        <span className={styles.icon}>
          <FileText aria-hidden />
        </span>
      )}
      <span className={styles.words}>
        <span className={styles.name}>{name}</span>
        {(error || detail) && <span className={styles.detail}>{error || detail}</span>}
      </span>
      {onRemove && (
        <IconButton
          size="small"
          icon={X}
          label={t("composer.removeAttachment", { name })}
          onClick={onRemove}
        />
      )}
      {progress !== undefined && (
        <div className={styles.progress}>
          <ProgressBar value={progress} tone="busy" label={t("composer.uploading", { name })} />
        </div>
      )}
    </div>
  );
}
