import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { usePersonId } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { createDrawing } from "./drawing/drawing.ts";
import {
  forgetLast,
  readDrawing,
  removeDrawing,
  writeDrawing,
  writeLast,
} from "./drawing/drawing-store.ts";

/** Delays saving, because encoding a drawing takes longer than drawing a point of a stroke. */
const writeAfterMs = 400;

/** A project's drawing, saved on the device after each stroke and restored on load. */
export function useDrawing(projectId: string) {
  const userId = usePersonId();
  const [drawing] = useState(createDrawing);
  const state = useSyncExternalStore(drawing.subscribe, drawing.state);
  const [isRestored, setRestored] = useState(false);
  const toast = useToast();
  const hasWarned = useRef(false);

  useEffect(() => {
    const place = { userId, projectId };
    let isCurrent = true;
    const restore = async () => {
      const kept = await readDrawing(place);
      const picture = kept && (await createImageBitmap(kept).catch(() => undefined));
      // A drawing started meanwhile isn't replaced.
      if (isCurrent && picture && drawing.version() === 0) drawing.restore(picture);
      if (isCurrent) setRestored(true);
    };
    void restore();
    return () => {
      isCurrent = false;
    };
  }, [userId, projectId, drawing]);

  useEffect(() => {
    const place = { userId, projectId };
    let timer: number | undefined;
    let savedVersion = drawing.version();
    const write = async () => {
      timer = undefined;
      const version = drawing.version();
      if (drawing.state().isBlank) {
        savedVersion = version;
        forgetLast(place);
        return void removeDrawing(place);
      }
      const png = await drawing.toPng();
      if (!png) return;
      if (await writeDrawing(place, png)) {
        savedVersion = version;
        if (version === drawing.version()) forgetLast(place);
        return;
      }
      if (hasWarned.current) return;
      // Shown once, because saving then fails after every stroke.
      hasWarned.current = true;
      toast({ kind: "error", text: t("draw.notSaved"), detail: t("draw.notSaved.detail") });
    };
    const unsubscribe = drawing.subscribe(() => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => void write(), writeAfterMs);
    });
    // Leaving the page before the last stroke is saved must not lose it.
    const onHide = () => {
      if (savedVersion === drawing.version() || drawing.state().isBlank) return;
      writeLast(place, drawing.toDataUrl());
    };
    window.addEventListener("pagehide", onHide);
    return () => {
      unsubscribe();
      if (timer !== undefined) {
        window.clearTimeout(timer);
        void write();
      }
      window.removeEventListener("pagehide", onHide);
    };
  }, [userId, projectId, drawing]);

  return { drawing, state, isRestored };
}
