import { UserMinus } from "lucide-react";
import type { MemberInvite } from "#contract/entities.ts";
import { formatExact } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Avatar } from "../../ui/display/avatar.tsx";
import { ListRow } from "../../ui/lists/list.tsx";

/** A pending invitation. */
export function InvitedRow({
  invite: { email, role, expiresAt },
  onRemove,
}: {
  invite: MemberInvite;
  onRemove: () => void;
}) {
  return (
    <ListRow
      start={<Avatar name={email} size={32} />}
      title={email}
      detail={t("project.members.invited", {
        role: t(`role.${role}`),
        when: formatExact(expiresAt),
      })}
      end={
        <IconButton
          icon={UserMinus}
          label={t("project.members.uninvite", { email })}
          onClick={onRemove}
        />
      }
    />
  );
}
