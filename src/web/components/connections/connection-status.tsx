import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, type LucideIcon } from "lucide-react";
import type { Connection } from "#contract/entities.ts";
import { type MessageId, t } from "../../messages/t.ts";
import { Badge, type BadgeTone } from "../../ui/display/badge.tsx";

const looks: Record<Connection["status"], { tone: BadgeTone; icon: LucideIcon; text: MessageId }> =
  {
    ok: { tone: "ok", icon: CircleCheck, text: "connections.status.ok" },
    failing: { tone: "bad", icon: CircleAlert, text: "connections.status.failing" },
    unchecked: { tone: "plain", icon: CircleDashed, text: "connections.status.unchecked" },
    disabled: { tone: "plain", icon: CircleSlash, text: "connections.status.disabled" },
  };

export function ConnectionStatus({ status }: { status: Connection["status"] }) {
  const { tone, icon, text } = looks[status];
  return (
    <Badge tone={tone} icon={icon}>
      {t(text)}
    </Badge>
  );
}
