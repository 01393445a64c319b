import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Asset } from "#contract/entities.ts";
import { useViewerAddress } from "../../components/viewer/viewer-address.ts";
import { keys } from "../../data/keys.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { createCanvasConnection, type ShownFrame } from "./connection/canvas-connection.ts";
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
  /** The frames on their way to the library, oldest first. The viewer then opens some of them. */
  const onTheWay = useRef<{ key: string; opens: boolean }[]>([]);
  /** The newest pinned frame, which isn't pinned again to be opened. */
  const newest = useRef<{ key: string; assetId: string }>(undefined);
  /** Read by the session at the moment it sends. */
  const now = useRef({ settings, isEnabled });
  now.current = { settings, isEnabled };
  const on = useRef<{ pinned(asset: Asset): void; failed(error: unknown): void }>(undefined);
  on.current = {
    pinned(asset) {
      const frame = onTheWay.current.shift();
      if (frame) newest.current = { key: frame.key, assetId: asset.id };
      if (frame?.opens) viewer.open(asset.id);
      setPinning(false);
      setPinned((before) => [asset, ...before]);
      toast({ text: t("draw.pinned") });
      void queryClient.invalidateQueries({ queryKey: keys.assets(projectId) });
    },
    failed(error) {
      onTheWay.current = [];
      setPinning(false);
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
      onPinned: (asset) => on.current?.pinned(asset),
      onPinFailed: (error) => on.current?.failed(error),
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
    onTheWay.current.push({ key: keyOf(frame), opens });
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
      const key = keyOf(frame);
      const coming = onTheWay.current.find((one) => one.key === key);
      if (coming) coming.opens = true;
      else if (newest.current?.key === key) viewer.open(newest.current.assetId);
      else pin(frame, true);
    },
  };
}

const keyOf = ({ runId, frame }: ShownFrame): string => `${runId} ${frame}`;
