import { readStored, useStored } from "../../data/kept/use-stored.ts";

const [place, initial] = ["notices", "off"] as const;

/** Whether this browser notifies: a browser asks for its permission, so each device has its own choice. */
export const useNoticeChoice = () => useStored(place, initial);
export const isTold = (userId: string): boolean => readStored(userId, place, initial) === "long";
