import { ShownOnceDialog } from "../../../components/shown-once/shown-once-dialog.tsx";
import type { MadeLink } from "../../../data/queries/people.queries.ts";
import { formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";

/** A one-time link to join, or for a new password. */
export function LinkDialog({ made, onClose }: { made: MadeLink | null; onClose: () => void }) {
  return (
    <ShownOnceDialog
      value={made?.link ?? null}
      title={
        made
          ? t(made.invite.kind === "join" ? "people.link.join" : "people.link.password", {
              email: made.invite.email,
            })
          : ""
      }
      description={made && t("people.link.once", { when: formatExact(made.invite.expiresAt) })}
      label={t("people.link.label")}
      copy={t("people.link.copy")}
      copied={t("people.link.copied")}
      onClose={onClose}
    />
  );
}
