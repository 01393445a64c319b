import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Asset } from "#contract/entities.ts";
import { useViewerAddress } from "../../components/viewer/viewer-address.ts";
import { keys } from "../../data/keys.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import {
  createCanvasConnection,
  type FrameRef,
  type PinnedFrame,
  type ShownFrame,
} from "./connection/canvas-connection.ts";
import type { Drawing } from "./drawing/drawing.ts";
import { drawingFieldOf, lacksPrompt, settingsToSend } from "./live-fields.ts";
import type { DrawSettings } from "./use-settings.ts";

/** Connects a drawing and its settings to the live session, and pins frames. */
export function useCanvasConnection(
  projectId: string,
  drawing: Drawing,
  settings: DrawSettings,
  isEnabled: boolean,
) {
  const toast = useToast();
  const showError = useErrorToast();
  const queryClient = useQueryClient();
  const viewer = useViewerAddress();
  const [pinned, setPinned] = useState<readonly Asset[]>([]);
  const [isPinning, setPinning] = useState(false);
  /**
   * The pinned frames. A frame on its way has no asset yet; `opens` if the viewer opens it once it
   * is saved. A saved frame isn't pinned again to be opened.
   */
  const pins = useRef(new Map<string, { assetId: string | null; opens: boolean }>());
  const isOnTheWay = () => [...pins.current.values()].some(({ assetId }) => assetId === null);
  /** Read by the session at the moment it sends. */
  const now = useRef({ settings, isEnabled });
  now.current = { settings, isEnabled };
  const on = useRef<{
    pinned(frame: PinnedFrame): void;
    failed(error: unknown, frame?: FrameRef): void;
  }>(undefined);
  on.current = {
    pinned({ asset, ...frame }) {
      // The server saves several at once, so answers come in any order.
      const opens = pins.current.get(keyOf(frame))?.opens;
      pins.current.set(keyOf(frame), { assetId: asset.id, opens: false });
      if (opens) viewer.open(asset.id);
      setPinning(isOnTheWay());
      setPinned((before) => [asset, ...before]);
      toast({ text: t("draw.pinned") });
      void queryClient.invalidateQueries({ queryKey: keys.assets(projectId) });
    },
    failed(error, frame) {
      for (const [key, { assetId }] of pins.current)
        if (assetId === null && (frame === undefined || key === keyOf(frame)))
          pins.current.delete(key);
      setPinning(isOnTheWay());
      showError(error);
    },
  };
  const [connection] = useState(() =>
    createCanvasConnection({
      wish() {
        const { model, values } = now.current.settings;
        if (!model || !now.current.isEnabled) return null;
        const sent = settingsToSend(model.inputSchema, values);
        if (lacksPrompt(model.inputSchema, sent)) return null;
        return {
          projectId,
          model: toModelRef(model),
          settings: sent,
        };
      },
      drawing() {
        const { model } = now.current.settings;
        return drawingFieldOf(model) === null
          ? null
          : { version: drawing.version(), read: drawing.toJpeg };
      },
      onPinned: (frame) => on.current?.pinned(frame),
      onPinFailed: (error, frame) => on.current?.failed(error, frame),
    }),
  );
  const state = useSyncExternalStore(connection.subscribe, connection.state);
  useEffect(() => () => connection.close(), [connection]);
  useEffect(
    () =>
      drawing.subscribe((isRestored) =>
        isRestored ? connection.restored() : connection.changed(),
      ),
    [drawing, connection],
  );
  const pin = (frame: ShownFrame, opens: boolean) => {
    const isWanted = pins.current.get(keyOf(frame))?.opens ?? false;
    pins.current.set(keyOf(frame), { assetId: null, opens: opens || isWanted });
    setPinning(true);
    connection.pin(frame);
  };
  return {
    line: connection,
    state,
    pinned,
    isPinning,
    pin: () => {
      if (state.frame) pin(state.frame, false);
    },
    /** Opens the picture in the viewer, which shows saved ones: pins it first. */
    open: () => {
      const { frame } = state;
      if (!frame) return;
      const known = pins.current.get(keyOf(frame));
      if (!known) pin(frame, true);
      else if (known.assetId === null) known.opens = true;
      else viewer.open(known.assetId);
    },
  };
}

const keyOf = ({ runId, frame }: FrameRef): string => `${runId} ${frame}`;
