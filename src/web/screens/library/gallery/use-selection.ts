import { useEffect, useRef, useState } from "react";
import {
  nothingSelected,
  type Selection,
  withoutSelected,
} from "../../../components/grid/selection.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import type { Select } from "./use-gallery-selection.ts";

/** `lost`: the selection that was loading failed, or another one replaced it. */
export type SelectionState = "here" | "coming" | "lost";

/** The selection. Another view or filter clears it. */
export function useSelection(place: string) {
  const onError = useErrorToast();
  const [held, setHeld] = useState({
    place,
    selection: nothingSelected,
    state: "here" as SelectionState,
  });
  const isHere = held.place === place;
  /** Distinguishes the latest selection from those that it replaced while they loaded. */
  const latest = useRef<Selection | Promise<Selection>>(nothingSelected);
  const latestPlace = useRef(place);
  useEffect(() => {
    latest.current = nothingSelected;
    latestPlace.current = place;
    setHeld((before) =>
      before.place === place ? before : { place, selection: nothingSelected, state: "lost" },
    );
  }, [place]);
  const select: Select = (next) => {
    latest.current = next;
    const isLatest = () => latest.current === next;
    if (!(next instanceof Promise))
      return setHeld(({ state }) => ({
        place,
        selection: next,
        state: state === "coming" ? "lost" : "here",
      }));
    setHeld((before) => ({ ...before, state: "coming" }));
    next.then(
      (selection) => isLatest() && setHeld({ place, selection, state: "here" }),
      (error) => {
        if (!isLatest()) return;
        onError(error);
        // The selection from before is still shown.
        latest.current = held.selection;
        setHeld((before) => ({ ...before, state: "lost" }));
      },
    );
  };
  const deselect = (gone: Selection) => {
    // An act may end after the person went on to another view or selected something else.
    if (latestPlace.current !== place || gone.keys.size === 0) return;
    const now = latest.current;
    select(
      now instanceof Promise
        ? now.then((selection) => withoutSelected(selection, gone))
        : withoutSelected(now, gone),
    );
  };
  return {
    selection: isHere ? held.selection : nothingSelected,
    state: isHere ? held.state : "lost",
    select,
    /** Removes items that an act took out of the view from the latest selection. */
    deselect,
  };
}
