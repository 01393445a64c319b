import { readStored, useStored, writeStored } from "../../data/kept/use-stored.ts";
import { type ShellUser, useSession } from "../../data/shell-data.ts";

/** Empty means no choice: the person's default applies if the browser already has permission. */
const [place, initial] = ["notices", ""] as const;

/**
 * Whether this browser notifies. Each device has its own choice, because browsers grant permission
 * per device.
 */
export function useNoticeChoice() {
  const { user } = useSession();
  const [stored, set] = useStored(place, initial);
  return [stored || (user.defaults.notices ?? "off"), set] as const;
}
/**
 * Stored as "missing" for browsers such as Chrome on Android, which have the interface and grant
 * permission but show no notifications for a page.
 */
export const keepMissing = (userId: string): void => writeStored(userId, place, initial, "missing");
export const isTold = ({ id, defaults }: Pick<ShellUser, "id" | "defaults">): boolean =>
  (readStored(id, place, initial) || defaults.notices) === "long";
