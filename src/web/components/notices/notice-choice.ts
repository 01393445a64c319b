import { readStored, useStored, writeStored } from "../../data/saved/use-stored.ts";
import { type ShellUser, useSession } from "../../data/shell-data.ts";

/** Empty means no choice: the person's default applies if the browser already has permission. */
const [entry, initial] = ["notices", ""] as const;

/**
 * Whether this browser notifies. Each device has its own choice, because browsers grant permission
 * per device.
 */
export function useNoticeChoice() {
  const { user } = useSession();
  const [stored, set] = useStored(entry, initial);
  return [stored || (user.defaults.notices ?? "off"), set] as const;
}
/**
 * Stored as "missing" for browsers such as Chrome on Android, which have the interface and grant
 * permission but show no notifications for a page.
 */
export const saveNoticesMissing = (userId: string): void =>
  writeStored(userId, entry, initial, "missing");
export const hasNoticesOn = ({ id, defaults }: Pick<ShellUser, "id" | "defaults">): boolean =>
  (readStored(id, entry, initial) || defaults.notices) === "long";
