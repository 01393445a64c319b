import { readStored, useStored, writeStored } from "../../data/kept/use-stored.ts";

const [place, initial] = ["notices", "off"] as const;

/** Whether this browser notifies: a browser asks for its permission, so each device has its own choice. */
export const useNoticeChoice = () => useStored(place, initial);
/** "missing": it has the interface and its permission, and shows none to a page, as Chrome on Android. */
export const keepMissing = (userId: string): void => writeStored(userId, place, initial, "missing");
export const isTold = (userId: string): boolean => readStored(userId, place, initial) === "long";
