import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Asset } from "#contract/entities.ts";
import { keys } from "../../data/keys.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { createCanvasConnection } from "./connection/canvas-connection.ts";
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
  const [pinned, setPinned] = useState<readonly Asset[]>([]);
  const [isPinning, setPinning] = useState(false);
  /** Read by the session at the moment it sends. */
  const now = useRef({ settings, isEnabled });
  now.current = { settings, isEnabled };
  const on = useRef<{ pinned(asset: Asset): void; failed(error: unknown): void }>(undefined);
  on.current = {
    pinned(asset) {
      setPinning(false);
      setPinned((before) => [asset, ...before]);
      toast({ text: t("draw.pinned") });
      void queryClient.invalidateQueries({ queryKey: keys.assets(projectId) });
    },
    failed(error) {
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
  return {
    line: connection,
    state,
    pinned,
    isPinning,
    pin() {
      if (!state.frame) return;
      setPinning(true);
      connection.pin(state.frame);
    },
  };
}
