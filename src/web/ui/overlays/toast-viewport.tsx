import { Toast as BaseToast } from "@base-ui/react/toast";
import { CircleAlert, X } from "lucide-react";
import { useEffect } from "react";
import { t } from "../../messages/t.ts";
import styles from "./toast.module.css";

export type Toast = {
  /** The result: "3 pictures moved to the trash". */
  text: string;
  detail?: string;
  kind?: "done" | "error";
  /** Usually undo. Closes the toast. */
  action?: { label: string; onAction: () => void };
  /**
   * How long the toast stays unless it is hovered or focused; 0 means until it is closed. Defaults
   * to 8 s with an action, 5 s without.
   */
  timeoutMs?: number;
};
export type QueuedToast = Toast & { id: number };

type ToastViewportProps = { queue: QueuedToast[]; onTaken: (ids: number[]) => void };

/** Shows ToastProvider's toasts. F6 focuses them, and hovering keeps them open. */
export function ToastViewport({ queue, onTaken }: ToastViewportProps) {
  return (
    <BaseToast.Provider limit={3}>
      <Toasts queue={queue} onTaken={onTaken} />
    </BaseToast.Provider>
  );
}

function Toasts({ queue, onTaken }: ToastViewportProps) {
  const { toasts, add, close } = BaseToast.useToastManager();
  useEffect(() => {
    if (queue.length === 0) return;
    for (const { id: queued, text, detail, kind, action, timeoutMs } of queue) {
      const id = `toast-${queued}`;
      const run = () => {
        close(id);
        action?.onAction();
      };
      add({
        id,
        title: text,
        description: detail,
        type: kind,
        // "high" hides the toast from screen readers while it can be focused, which WCAG forbids
        // (Base UI 1.9).
        priority: "low",
        timeout: timeoutMs ?? (action ? 8_000 : 5_000),
        actionProps: action && { children: action.label, onClick: run },
      });
    }
    onTaken(queue.map(({ id }) => id));
  }, [queue, add, close, onTaken]);
  return (
    <BaseToast.Portal>
      <BaseToast.Viewport className={styles.viewport}>
        {toasts.map((toast) => (
          <BaseToast.Root key={toast.id} toast={toast} className={styles.toast}>
            {toast.type === "error" && <CircleAlert aria-hidden className={styles.icon} />}
            <div className={styles.words}>
              <BaseToast.Title className={styles.title} render={<p />} />
              <BaseToast.Description className={styles.detail} />
            </div>
            {toast.actionProps && <BaseToast.Action className={styles.action} />}
            <BaseToast.Close className={styles.close} aria-label={t("ui.close")}>
              <X aria-hidden />
            </BaseToast.Close>
          </BaseToast.Root>
        ))}
      </BaseToast.Viewport>
    </BaseToast.Portal>
  );
}
