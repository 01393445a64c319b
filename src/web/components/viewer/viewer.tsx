import { Dialog } from "@base-ui/react/dialog";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Download, ImageOff, Info, Maximize, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { isProblem } from "../../data/client.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useKeysOf } from "../../frame/commands.tsx";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { Sheet } from "../../ui/overlays/sheet.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import { assetName } from "../asset/asset-name.ts";
import { CollectDialog } from "../asset/collections/collect-dialog.tsx";
import { AssetInspector } from "../asset/inspector/asset-inspector.tsx";
import { TrashNote } from "../asset/inspector/trash-note.tsx";
import { useAssetActions } from "../asset/inspector/use-asset-actions.ts";
import { MoveDialog } from "../asset/move/move-dialog.tsx";
import { runInProject } from "../asset/run-in-project.ts";
import { TagDialog } from "../asset/tags/tag-dialog.tsx";
import { useMayEdit } from "../asset/use-may-edit.ts";
import { priceOf } from "../run/run-facts.ts";
import { ActionBar, ActionsPlaceholder, MoreActions, PhoneActions } from "./action-bar.tsx";
import stageStyles from "./stage/stage.module.css";
import { Stage, type StageHandle } from "./stage/stage.tsx";
import { FilmStrip, StripPlaceholder } from "./strip/film-strip.tsx";
import { useFocusReturn } from "./use-focus-return.ts";
import { useFullScreen } from "./use-full-screen.ts";
import { useJudgement } from "./use-judgement.ts";
import { useShownId } from "./use-shown-id.ts";
import { useViewerActions, type ViewerAction } from "./use-viewer-actions.ts";
import { useViewerCommands } from "./use-viewer-commands.ts";
import { useViewerPosition, type ViewerPosition } from "./use-viewer-position.ts";
import styles from "./viewer.module.css";
import { useViewerAddress } from "./viewer-address.ts";
import { useViewerLists } from "./viewer-lists.tsx";

type Detail = RouteOutput<"getAsset">;

/** One asset, large and on a dark background, over the screen from which it was opened. */
export function Viewer({ viewedId }: { viewedId: string }) {
  const lists = useViewerLists();
  const close = useClose();
  const { shownId: assetId, show, showLater, settleAddress } = useShownId(viewedId);
  const isPhone = useWidth() === "phone";
  const popup = useRef<HTMLDivElement>(null);
  const stage = useRef<StageHandle>(null);
  // Details that were opened beside the picture don't cover it in a window that became narrow.
  const place = isPhone ? "sheet" : "panel";
  const [factsPlace, setFactsPlace] = useState<typeof place | null>(null);
  const hasFacts = factsPlace === place;
  const setFacts = (open: boolean) => setFactsPlace(open ? place : null);
  const [announcement, announce] = useState("");
  const { isBare, toggle: toggleFullScreen } = useFullScreen();
  const position = useViewerPosition(lists, assetId);
  const query = useQuery(assetQuery(assetId));
  const { before, after } = useNeighbors(position);
  const inList = position.index === null ? undefined : position.list?.at(position.index);
  const asset = query.data?.asset ?? (inList?.id === assetId ? inList : undefined);
  const [dialog, setDialog] = useState<"tag" | "collect" | "move" | null>(null);
  const judgement = useJudgement(show);
  const labelling = useAssetActions({
    ofProject: asset?.projectId,
    onActed: (takeBack) => judgement.remember(assetId, takeBack),
  });
  const { acts: offered, areComing } = useViewerActions(asset, runInProject(query.data), {
    onTag: () => setDialog("tag"),
    onCollect: () => setDialog("collect"),
    onMove: () => setDialog("move"),
    onTrash: () => labelling.act("trash", [assetId]),
  });
  const acts = offered.map((act) => ({
    ...act,
    run: () => {
      settleAddress();
      act.run();
    },
  }));
  const { hasStrip, isComing } = useSteadyControls(assetId, {
    hasStrip: position.list ? position.list.count > 1 : position.isComing,
    isComing: (!asset && !query.error) || query.isLoading || areComing,
  });
  const isTrashed = asset !== undefined && asset.trashedAt !== null;
  const mayEdit = useMayEdit(asset);
  const mayJudge = mayEdit && asset !== undefined && !isTrashed;
  useFocusReturn(assetId, lists.lists);
  const name = asset ? assetName(asset) : t(query.isError ? "viewer.title" : "ui.loading");
  const positionLabel = positionText(position);
  useEffect(
    () => announce(positionLabel ? `${positionLabel}, ${name}` : name),
    [positionLabel, name],
  );

  const showAt = (index: number | null) => {
    const id = index === null ? undefined : position.list?.idAt(index);
    if (id !== undefined) return show(id);
    // Home and End of a long list reach items that aren't loaded.
    const { list } = position;
    if (index !== null && list?.load)
      void showLater(list.load(index, index).then(() => list.idAt(index)));
  };
  const toFirst = () => showAt(0);
  const toLast = () => showAt(position.list ? position.list.count - 1 : null);
  const isDeleted = query.data !== undefined && isProblem(query.error, "not_found");
  // The shown asset was deleted: move on to a neighbor.
  useEffect(() => {
    if (!isDeleted) return;
    const other = position.list?.idAt(position.after ?? position.before ?? -1);
    if (other === undefined || other === assetId) close();
    else show(other);
  });
  const flip = (by: -1 | 1) => showAt(by < 0 ? position.before : position.after);
  const judge = mayJudge
    ? {
        pick: (value: "kept" | "rejected") => {
          judgement.pick(asset, value);
          const isBack = asset.pick === value;
          announce(
            t(isBack ? "viewer.unmarked" : value === "kept" ? "viewer.kept" : "viewer.rejected"),
          );
        },
        rate: (rating: number) => {
          judgement.rate(asset, rating);
          announce(t("asset.rate", { stars: rating }));
        },
      }
    : null;
  const undo = () => {
    if (judgement.undo()) announce(t("viewer.undone"));
  };
  useViewerCommands({
    acts,
    judge: judge && {
      ...judge,
      // Sets the mark and never removes it, so that going through a judged list again changes
      // nothing.
      pickNext: (value: "kept" | "rejected") => {
        if (asset?.pick !== value) judge.pick(value);
        flip(1);
      },
    },
    // Also in the trash, where the shown asset has no marks.
    undo: mayEdit ? undo : null,
    flip,
    toFirst,
    toLast,
    toggleFacts: () => setFacts(!hasFacts),
    toggleFullScreen,
    stage,
    close,
  });
  useKeysOf("viewer", true, "cover");
  // The dialog stops list keys from propagating, so they don't reach shortcuts outside of it.
  const moves = new Map([
    ["ArrowLeft", () => flip(-1)],
    ["ArrowRight", () => flip(1)],
    ["Home", toFirst],
    ["End", toLast],
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const pan = event.shiftKey ? pans[event.key] : undefined;
    const act = pan ? () => stage.current?.pan(...pan) : moves.get(event.key);
    const isTaken = event.target instanceof HTMLInputElement;
    if (!act || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const slides = [
    { asset: before, place: -1 as const },
    { asset, place: 0 as const },
    { asset: after, place: 1 as const },
  ].flatMap((slide) => (slide.asset ? [{ ...slide, asset: slide.asset }] : []));

  const facts = <AssetInspector assetId={assetId} withPreview={false} />;
  const labels = (kind: "tag" | "collect" | "move") => ({
    open: dialog === kind,
    onOpenChange: (open: boolean) => setDialog(open ? kind : null),
    projectId: asset?.projectId ?? "",
    target: { ids: [assetId] },
    count: 1,
    actions: labelling,
  });
  return (
    <Dialog.Root open onOpenChange={(open) => open || close()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          className={styles.viewer}
          data-theme="dark"
          data-takes-shortcuts=""
          initialFocus={popup}
          finalFocus={false}
          onKeyDown={onKeyDown}
        >
          <VisuallyHidden live="polite">{announcement}</VisuallyHidden>
          <div className={styles.column}>
            {!isBare && (
              <Head
                name={name}
                position={positionLabel}
                asset={asset}
                detail={query.data}
                acts={acts}
                isComing={isComing && !asset}
                isPhone={isPhone}
                hasFacts={hasFacts}
                onFacts={() => setFacts(!hasFacts)}
                onFullScreen={toggleFullScreen}
                onClose={close}
              />
            )}
            {isBare && (
              <VisuallyHidden as="div">
                <Dialog.Title>{name}</Dialog.Title>
              </VisuallyHidden>
            )}
            <Stage
              slides={slides}
              hasBefore={position.before !== null}
              hasAfter={position.after !== null}
              onFlip={flip}
              isBare={isBare}
              handle={stage}
            >
              {!asset && (
                <div className={stageStyles.middle}>
                  <NoAsset query={query} onClose={close} />
                </div>
              )}
            </Stage>
            {!isBare && isTrashed && (
              <div className={styles.trash}>
                <TrashNote asset={asset} canEdit={mayEdit} />
              </div>
            )}
            {!isBare && !isPhone && asset && !isComing && !isTrashed && (
              <ActionBar asset={asset} acts={acts} judge={judge} />
            )}
            {!isBare && !isPhone && isComing && !isTrashed && (
              <ActionsPlaceholder isPhone={false} />
            )}
            {!isBare &&
              hasStrip &&
              (position.list && position.index !== null ? (
                <FilmStrip list={position.list} index={position.index} onShow={showAt} />
              ) : (
                <StripPlaceholder />
              ))}
            {!isBare && isPhone && asset && !isComing && !isTrashed && (
              <PhoneActions asset={asset} acts={acts} judge={judge} />
            )}
            {!isBare && isPhone && isComing && !isTrashed && <ActionsPlaceholder isPhone />}
          </div>
          {asset && (
            <>
              <TagDialog {...labels("tag")} />
              <CollectDialog {...labels("collect")} />
              <MoveDialog {...labels("move")} />
            </>
          )}
          {hasFacts && !isPhone && !isBare && (
            <aside className={styles.facts} aria-label={t("viewer.facts")}>
              {facts}
            </aside>
          )}
          {isPhone && (
            <Sheet
              side="bottom"
              isDark
              title={t("viewer.facts")}
              open={hasFacts}
              onOpenChange={setFacts}
            >
              {facts}
            </Sheet>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/**
 * Escape reaches both the dialog and the shortcuts, and going back twice would leave the screen.
 */
function useClose(): () => void {
  const { close } = useViewerAddress();
  const isClosing = useRef(false);
  return () => {
    if (isClosing.current) return;
    isClosing.current = true;
    close();
  };
}

const panPx = 60;
const pans: Record<string, [number, number]> = {
  ArrowLeft: [panPx, 0],
  ArrowRight: [-panPx, 0],
  ArrowUp: [0, panPx],
  ArrowDown: [0, -panPx],
};

const positionText = ({ index, list }: ViewerPosition): string =>
  index === null || !list ? "" : t("viewer.place", { place: index + 1, count: list.count });

/**
 * Nothing that comes late moves the acts under the pointer: they appear together, and from then on
 * the film strip's room stays as it is until another asset is shown.
 */
function useSteadyControls(assetId: string, now: { hasStrip: boolean; isComing: boolean }) {
  const [shown, setShown] = useState<{ assetId: string; hasStrip: boolean } | null>(null);
  if (shown?.assetId === assetId) return { hasStrip: shown.hasStrip, isComing: false };
  if (!now.isComing) setShown({ assetId, hasStrip: now.hasStrip });
  return now;
}

/**
 * Preloads the previous and the next asset's facts and files, so that showing them needs no
 * request.
 */
function useNeighbors({ list, before, after }: ViewerPosition) {
  const queryClient = useQueryClient();
  const [, redraw] = useState(0);
  const beforeId = before === null ? undefined : list?.idAt(before);
  const afterId = after === null ? undefined : list?.idAt(after);
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  useEffect(() => {
    let isGone = false;
    const wanted = [beforeId, afterId].filter((id) => id !== undefined);
    const parts = [before, after].filter((index) => index !== null);
    void Promise.all([
      ...wanted.map((id) => preloadFacts(queryClient, id)),
      ...parts.map((index) => latest.current?.load?.(index, index)),
    ])
      .catch(() => undefined)
      .then(() => isGone || redraw((count) => count + 1));
    return () => {
      isGone = true;
    };
  }, [queryClient, before, after, beforeId, afterId]);
  const known = (index: number | null): Asset | undefined => {
    if (index === null || !list) return undefined;
    const id = list.idAt(index);
    if (id === undefined) return undefined;
    return list.at(index) ?? queryClient.getQueryData(assetQuery(id).queryKey)?.asset;
  };
  return { before: known(before), after: known(after) };
}

/** Includes the model, which has the prices of the acts. */
async function preloadFacts(queryClient: QueryClient, assetId: string): Promise<void> {
  const { queryKey } = assetQuery(assetId);
  await queryClient.prefetchQuery(assetQuery(assetId));
  const run = runInProject(queryClient.getQueryData(queryKey));
  if (run && isMadeByForm(run.task))
    await queryClient.prefetchQuery(modelQuery(run.projectId, run));
}

type HeadProps = {
  name: string;
  position: string;
  asset: Asset | undefined;
  detail: Detail | undefined;
  acts: readonly ViewerAction[];
  /** The asset is loading. */
  isComing: boolean;
  isPhone: boolean;
  hasFacts: boolean;
  onFacts: () => void;
  onFullScreen: () => void;
  onClose: () => void;
};

function Head({
  name,
  position,
  asset,
  detail,
  acts,
  isComing,
  isPhone,
  hasFacts,
  onFacts,
  onFullScreen,
  onClose,
}: HeadProps) {
  const run = detail?.run;
  const words = [
    position,
    ...(isPhone
      ? []
      : [
          detail?.modelName,
          asset?.width && asset.height ? `${asset.width} × ${asset.height}` : null,
          run && formatPrice(priceOf(run)),
        ]),
  ].filter(Boolean);
  const download = acts.find(({ id }) => id === "download");
  const facts = (
    <IconButton
      icon={Info}
      label={t("viewer.facts")}
      shortcut="i"
      pressed={hasFacts}
      onClick={onFacts}
    />
  );
  return (
    <header className={styles.head}>
      <IconButton icon={ArrowLeft} label={t("viewer.back")} onClick={onClose} />
      {isPhone ? (
        <VisuallyHidden as="div">
          <Dialog.Title>{name}</Dialog.Title>
        </VisuallyHidden>
      ) : (
        <Dialog.Title className={styles.title}>{name}</Dialog.Title>
      )}
      <p className={styles.words}>{words.join(" · ")}</p>
      <span className={styles.space} />
      {isPhone ? (
        <>
          {facts}
          {acts.length > 0 && <MoreActions acts={acts} side="bottom" />}
          {isComing && <span className={styles.moreComing} />}
        </>
      ) : (
        <>
          {download && (
            <IconButton
              icon={Download}
              label={download.label}
              shortcut="d"
              onClick={download.run}
            />
          )}
          <IconButton
            icon={Maximize}
            label={t("viewer.fullScreen")}
            shortcut="f"
            onClick={onFullScreen}
          />
          {facts}
          <IconButton icon={X} label={t("ui.close")} shortcut="escape" onClick={onClose} />
        </>
      )}
    </header>
  );
}

type Answer = { error: Error | null; refetch: () => unknown };

function NoAsset({ query, onClose }: { query: Answer; onClose: () => void }) {
  if (isProblem(query.error, "not_found"))
    return (
      <EmptyState
        icon={ImageOff}
        title={t("viewer.gone")}
        action={<Button onClick={onClose}>{t("ui.close")}</Button>}
      >
        {t("viewer.gone.text")}
      </EmptyState>
    );
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={styles.coming} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <Skeleton width="100%" height="100%" radius={5} />
    </div>
  );
}
