import { ReceiptText } from "lucide-react";
import { useState } from "react";
import type {
  ConnectionKind,
  ListedConnection,
} from "../../../data/queries/connections.queries.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { t } from "../../../messages/t.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { Part } from "../../../ui/part.tsx";

const BillWork = lazyPart(() => import("./bill-work.tsx").then(({ BillWork }) => BillWork));

/** Opens the comparison of a connection's costs with its provider's bill. */
export function BillButton({
  connection,
  kind,
}: {
  connection: ListedConnection;
  kind: ConnectionKind;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionButton action="connection.bill" icon={ReceiptText} onClick={() => setOpen(true)}>
        {t("bills.open")}
      </ActionButton>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        size="huge"
        title={t("bills.title", { name: connection.name })}
        description={t("bills.intro")}
      >
        {isOpen && (
          <Part fallback={<SkeletonText lines={4} />}>
            <BillWork connectionId={connection.id} keyHint={kind.billKeyHint} />
          </Part>
        )}
      </Dialog>
    </>
  );
}
