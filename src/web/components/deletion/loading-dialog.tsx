import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";

type LoadingDialogProps = {
  title: string;
  error: unknown;
  onRetry: () => void;
  onClose: () => void;
};

/** Shown while the deletion's effects load. */
export const LoadingDialog = ({ title, error, onRetry, onClose }: LoadingDialogProps) => (
  <Dialog
    open
    onOpenChange={(isShown) => !isShown && onClose()}
    title={title}
    footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
  >
    {error ? <ErrorState compact error={error} onRetry={onRetry} /> : <SkeletonText lines={4} />}
  </Dialog>
);
