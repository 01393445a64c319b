import { Link } from "@tanstack/react-router";
import {
  Brush as BrushIcon,
  Eraser,
  Minus,
  Pin,
  Play,
  Plus,
  Redo2,
  Square,
  Trash2,
  Undo2,
} from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useFileDrop } from "../../components/composer/use-file-drop.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { useSession } from "../../data/shell-data.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { useCommands } from "../../frame/commands.tsx";
import { Screen } from "../../frame/screen.tsx";
import type { PhoneTab } from "../../frame/screen-props.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { ConnectionProblem, ConnectionStatusBar } from "./connection-status.tsx";
import styles from "./draw.module.css";
import { drawingFieldOf, lacksPrompt, liveFieldsOf, settingsToSend } from "./live-fields.ts";
import { LiveFrame } from "./live-frame.tsx";
import { PinnedStrip } from "./pinned-strip.tsx";
import { SettingsPane } from "./settings-pane.tsx";
import { Surface } from "./surface.tsx";
import { sizes, Toolbar } from "./toolbar.tsx";
import { useCanvasConnection } from "./use-canvas-connection.ts";
import { useDrawing } from "./use-drawing.ts";
import { usePictures } from "./use-pictures.ts";
import { useRecipe } from "./use-recipe.ts";
import { useSettings } from "./use-settings.ts";

export function DrawScreen() {
  const { project } = useSession();
  // Drawings, models, files and the session belong to a project.
  return <Studio key={project.id} projectId={project.id} mayEdit={project.role !== "viewer"} />;
}

/**
 * The live canvas: the drawing at the left, the model's picture at the right, updated with each
 * change.
 */
function Studio({ projectId, mayEdit }: { projectId: string; mayEdit: boolean }) {
  const toast = useToast();
  const settings = useSettings(projectId);
  const { drawing, state: drawn, isRestored } = useDrawing(projectId);
  const {
    line: connection,
    state,
    pinned,
    isPinning,
    pin,
    open,
  } = useCanvasConnection(projectId, drawing, settings, mayEdit);
  // A phone opens on the canvas, with the settings in another tab.
  const [tab, setTab] = useState<PhoneTab>("work");
  const [tool, setTool] = useState<"brush" | "eraser">("brush");
  const [color, setColor] = useStored("draw-color", "#1b1a19");
  const [size, setSize] = useStored("draw-size", 18);
  const brush = { tool, color, size };
  const { model, values } = settings;
  const field = drawingFieldOf(model);
  const fields = liveFieldsOf(model?.inputSchema ?? null, field);
  const sent = settingsToSend(model?.inputSchema ?? null, values);
  const needsPrompt = model !== null && lacksPrompt(model.inputSchema, sent);
  const putPicture = usePictures(drawing);
  const drop = useFileDrop({
    onFiles: mayEdit ? ([first]) => first && void putPicture(first) : undefined,
  });
  const loaded = useRef<string>(undefined);
  useRecipe(settings, drawing, isRestored, (recipe) => {
    loaded.current = JSON.stringify(recipe);
  });
  useFollowSettings(
    JSON.stringify([model?.connectionId, model?.modelId]),
    JSON.stringify(sent),
    JSON.stringify(values) === loaded.current,
    connection,
  );

  const clear = () => {
    drawing.clear();
    toast({
      text: t("draw.cleared"),
      action: { label: t("ui.undo"), onAction: drawing.undo },
    });
  };
  const resize = (by: number) =>
    setSize(
      Math.min(sizes.most, Math.max(sizes.least, Math.round(size + by * Math.max(2, size * 0.15)))),
    );
  const commands = [
    { id: "draw.pin", title: t("draw.command.pin"), icon: Pin, shortcut: "k", run: pin },
    {
      id: "draw.brush",
      title: t("draw.brush"),
      icon: BrushIcon,
      shortcut: "b",
      run: () => setTool("brush"),
    },
    {
      id: "draw.eraser",
      title: t("draw.eraser"),
      icon: Eraser,
      shortcut: "e",
      run: () => setTool("eraser"),
    },
    {
      id: "draw.smaller",
      title: t("draw.smaller"),
      icon: Minus,
      shortcut: "[",
      run: () => resize(-1),
    },
    ...(drawn.isBlank
      ? []
      : [{ id: "draw.clear", title: t("draw.clear"), icon: Trash2, run: clear }]),
    { id: "draw.larger", title: t("draw.larger"), icon: Plus, shortcut: "]", run: () => resize(1) },
    { id: "draw.undo", title: t("draw.undo"), icon: Undo2, shortcut: "mod+z", run: drawing.undo },
    {
      id: "draw.redo",
      title: t("draw.redo"),
      icon: Redo2,
      shortcut: "mod+shift+z",
      run: drawing.redo,
    },
  ];
  const group = t("screen.draw");
  useCommands(mayEdit ? commands.map((command) => ({ ...command, group })) : []);

  const isOpen =
    state.status === "drawing" || state.status === "starting" || state.status === "lost";
  const action = mayEdit && model && (
    <ActionButton
      action="draw.start"
      icon={isOpen ? Square : Play}
      variant={isOpen ? "secondary" : "primary"}
      disabled={!isOpen && needsPrompt}
      onClick={isOpen ? connection.stop : connection.start}
    >
      {isOpen ? t("draw.stop") : t("draw.start")}
    </ActionButton>
  );
  return (
    <Screen
      title={t("screen.draw")}
      heading={model?.name}
      actions={action}
      phoneActions={action || null}
      pane={{
        width: "form",
        children: <SettingsPane {...{ projectId, settings, fields }} isDisabled={!mayEdit} />,
        phone: "tab",
        phoneTab: t("draw.settings"),
      }}
      workTab={t("draw.canvas")}
      tabState={[tab, setTab]}
    >
      {settings.error && !model ? (
        <ErrorState error={settings.error} onRetry={settings.retry} />
      ) : !settings.isLoading && settings.models.length === 0 ? (
        <EmptyState
          icon={BrushIcon}
          title={t("draw.noModels")}
          action={
            <Link
              to="/settings/$section"
              params={{ section: "connections" }}
              className={buttonClass()}
            >
              {t("draw.connections")}
            </Link>
          }
        >
          {t("draw.noModels.text")}
        </EmptyState>
      ) : (
        <div className={styles.studio} data-over={drop.isOver || undefined} {...drop.handlers}>
          {!mayEdit && <p className={styles.note}>{t("draw.viewer")}</p>}
          {mayEdit && <ConnectionProblem connection={state} onStart={connection.start} />}
          <Toolbar
            brush={brush}
            onBrush={(next) => {
              setTool(next.tool);
              setColor(next.color);
              setSize(next.size);
            }}
            drawing={drawing}
            state={drawn}
            isDisabled={!mayEdit}
            onClear={clear}
            onPicture={(file) => void putPicture(file)}
          />
          <div className={styles.pair}>
            <Surface drawing={drawing} brush={brush} isDisabled={!mayEdit} />
            <LiveFrame
              frame={state.frame}
              isBehind={state.isBehind}
              prompt={typeof values.prompt === "string" ? values.prompt : ""}
              isPinning={isPinning}
              mayPin={mayEdit}
              onPin={pin}
              onOpen={open}
            />
          </div>
          {model && field === null && <p className={styles.note}>{t("draw.words.only")}</p>}
          {needsPrompt && <p className={styles.note}>{t("draw.needsPrompt")}</p>}
          <ConnectionStatusBar connection={state} model={model} onReconnect={connection.retryNow} />
          <PinnedStrip assets={pinned} />
          {drop.isOver && <p className={styles.drop}>{t("draw.drop")}</p>}
        </div>
      )}
    </Screen>
  );
}

const noModel = JSON.stringify([null, null]);
/**
 * Requests a frame when a person changes settings, but not when the screen opens. Changing the
 * model ends the session.
 */
function useFollowSettings(
  model: string,
  settings: string,
  areLoaded: boolean,
  connection: { changed(): void; restored(): void; leave(): void; modelCame(): void },
): void {
  const last = useRef<{ model: string; settings: string }>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = { model, settings };
    if (before === undefined) return;
    if (before.model === noModel) {
      if (model !== noModel) connection.modelCame();
    } else if (before.model !== model) connection.leave();
    else if (before.settings !== settings) {
      if (areLoaded) connection.restored();
      else connection.changed();
    }
  }, [model, settings, connection]);
}
