import { readStored, useStored, writeStored } from "../../data/kept/use-stored.ts";
import { type ShellUser, useSession } from "../../data/shell-data.ts";

/** An empty choice is none: the person's default holds where the browser has permission already. */
const [place, initial] = ["notices", ""] as const;

/** Whether this browser notifies: a browser asks for its permission, so each device has its own choice. */
export function useNoticeChoice() {
  const { user } = useSession();
  const [stored, set] = useStored(place, initial);
  return [stored || (user.defaults.notices ?? "off"), set] as const;
}
/** "missing": it has the interface and its permission, and shows none to a page, as Chrome on Android. */
export const keepMissing = (userId: string): void => writeStored(userId, place, initial, "missing");
export const isTold = ({ id, defaults }: Pick<ShellUser, "id" | "defaults">): boolean =>
  (readStored(id, place, initial) || defaults.notices) === "long";
