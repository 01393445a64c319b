import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Ellipsis, Eye, EyeOff, Plus, RotateCcw, ZoomIn } from "lucide-react";
import { useState } from "react";
import { limits } from "#contract/limits.ts";
import { ChooseResults } from "../../components/compare/choose-results.tsx";
import {
  type ComparisonView,
  comparisonQuery,
  comparisonsQuery,
  useChangeComparison,
  useReveal,
  useVote,
} from "../../components/compare/compare.queries.ts";
import { promptOfRun } from "../../components/run/run-facts.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { useCommands } from "../../frame/commands.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Chip } from "../../ui/controls/chip.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { ConfirmDialog, useWasOpen } from "../../ui/overlays/dialog.tsx";
import { useWidth } from "../../ui/use-width.ts";
import styles from "./compare.module.css";
import { RenameComparison, useComparisonActs } from "./comparison-acts.tsx";
import { useBoardPanel } from "./leaderboard.tsx";
import { type View, Views } from "./views.tsx";

const views = ["side", "slider", "flip"] as const satisfies readonly View[];

/** One comparison: its results, the vote, and the leaderboard at the right. */
export function ComparisonPage({ comparisonId }: { comparisonId: string }) {
  const { project } = useSession();
  const found = useQuery(comparisonQuery(project.id, comparisonId));
  const { data: view } = found;
  // Viewers have no vote that the board could reveal.
  const isHidden = view && project.role !== "viewer" && !areRevealed(view);
  const board = useBoardPanel(isHidden ? "hidden" : found.isPending ? "loading" : "whole");
  const back = (
    <Link to="/compare" className={styles.back} aria-label={t("compare.all")}>
      <ArrowLeft aria-hidden />
    </Link>
  );
  if (!view)
    return (
      <Screen title={t("screen.compare")} back={back} inspector={board}>
        {found.isError ? (
          <ErrorState error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <div className={styles.page}>
            <SkeletonText />
          </div>
        )}
      </Screen>
    );
  return <Comparison view={view} back={back} board={board} />;
}

const areRevealed = ({ comparison, vote }: ComparisonView): boolean =>
  !comparison.blind || vote.revealedAt !== null;

type ComparisonProps = {
  view: ComparisonView;
  back: React.ReactNode;
  board: ReturnType<typeof useBoardPanel>;
};

function Comparison({ view, back, board }: ComparisonProps) {
  const { comparison, entries, vote, votes } = view;
  const { user, project } = useSession();
  const [shownText, setShown] = useSearchValue("view");
  const [isZoomed, setZoomed] = useState(false);
  const shown = vote.shownOrder.flatMap((position) => entries[position] ?? []);
  const isPictures = shown.some(({ asset }) => asset?.kind === "image");
  const shownView = (isPictures && views.find((name) => name === shownText)) || "side";
  const isRevealed = areRevealed(view);
  const isFinal = vote.revealedAt !== null && vote.best !== null && !vote.revealedBefore;
  const mayVote = project.role !== "viewer" && comparison.trashedAt === null && !isFinal;
  const putVote = useVote(project.id, comparison.id);
  const reveal = useReveal(comparison.id);
  const [isAsking, setAsking] = useState(false);
  const mayReveal = !isRevealed && project.role !== "viewer";
  const best = vote.best ?? [];
  /** Places are display positions, from 0. */
  const positionAt = (place: number) => shown[place]?.position ?? 0;
  const choose = (positions: number[]) => {
    if (mayVote) putVote.mutate(positions);
  };
  const chooseBest = (place: number) => {
    const position = positionAt(place);
    // A second press doesn't mean "none of them".
    if (best.length !== 1 || best[0] !== position) choose([position]);
  };
  const tie = () => choose(shown.map(({ position }) => position));
  const next = useNext(comparison.id);
  useCompareCommands({
    count: mayVote ? shown.length : 0,
    mayReveal,
    isPictures,
    onBest: chooseBest,
    onNone: () => choose([]),
    onTie: tie,
    onZoom: () => setZoomed(!isZoomed),
    onNext: next.count > 0 ? next.open : null,
    onReveal: () => setAsking(true),
    onView: setShown,
  });
  const prompts = new Set(shown.flatMap(({ run }) => (run && promptOfRun(run)) || []));
  return (
    <Screen
      title={t("screen.compare")}
      heading={comparison.title || t("compare.untitled")}
      back={back}
      tools={
        // On a phone they have a line of their own, if there are any.
        (comparison.blind || isPictures) && (
          <>
            {comparison.blind && (
              <span
                className={classes(styles.blind, isRevealed && styles.revealed)}
                data-tooltip={t(isRevealed ? "compare.revealed.hint" : "compare.blind.hint")}
              >
                {isRevealed ? <Eye aria-hidden /> : <EyeOff aria-hidden />}
                {t(isRevealed ? "compare.revealed" : "compare.blind")}
              </span>
            )}
            {isPictures && (
              <Segmented
                label={t("compare.view")}
                value={shownView}
                onValueChange={(name) => setShown(name === "side" ? null : name)}
                options={views.map((name) => ({ value: name, label: t(`compare.view.${name}`) }))}
              />
            )}
            {isPictures && (
              <IconButton
                icon={ZoomIn}
                variant="bordered"
                label={t("compare.zoom")}
                shortcut="z"
                pressed={isZoomed}
                onClick={() => setZoomed(!isZoomed)}
              />
            )}
          </>
        )
      }
      actions={
        comparison.userId === user.id && project.role !== "viewer" && <Author comparison={view} />
      }
      inspector={board}
      isSelfScrolling
    >
      <div className={styles.work}>
        {prompts.size > 1 && <p className={styles.notice}>{t("compare.prompts")}</p>}
        <Views
          view={shownView}
          entries={shown}
          best={best}
          isRevealed={isRevealed}
          isZoomed={isZoomed}
          onBest={mayVote ? chooseBest : null}
        />
        <footer className={styles.foot}>
          {mayVote && (
            <p className={styles.hint}>
              <Kbd keys="1" />–<Kbd keys={String(shown.length)} /> {t("compare.hint")}
              {", "}
              <Kbd keys="0" /> {t("compare.hint.none")}
              {", "}
              <Kbd keys="=" /> {t("compare.hint.tie")}
              {isPictures && (
                <>
                  {", "}
                  <Kbd keys="z" /> {t("compare.hint.zoom")}
                </>
              )}
            </p>
          )}
          {mayVote && (
            <>
              <Chip selected={vote.best !== null && best.length === 0} onClick={() => choose([])}>
                {t("compare.none")}
              </Chip>
              <Chip selected={best.length === shown.length} onClick={tie}>
                {t("compare.tie")}
              </Chip>
            </>
          )}
          <span className={styles.state} role="status">
            {isFinal
              ? t("compare.final")
              : isRevealed
                ? t("compare.countsNot")
                : t("compare.votes", { count: votes })}
          </span>
          {mayReveal && (
            <Button data-tooltip={t("compare.reveal.hint")} onClick={() => setAsking(true)}>
              {t("compare.reveal")}
            </Button>
          )}
          {next.count > 0 && (
            <Button variant="primary" onClick={next.open}>
              {t("compare.next")}
            </Button>
          )}
        </footer>
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t("compare.reveal.title")}
        confirmLabel={t("compare.reveal")}
        busy={reveal.isPending}
        onConfirm={() => reveal.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        <p>{t("compare.reveal.text")}</p>
      </ConfirmDialog>
    </Screen>
  );
}

/** The next comparison that this person has not voted on. */
function useNext(comparisonId: string) {
  const { project } = useSession();
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(comparisonsQuery(project.id, false));
  const all = data?.pages.flatMap((page) => page.comparisons) ?? [];
  const open = all.filter(({ id, isVoted }) => !isVoted && id !== comparisonId);
  const place = all.findIndex(({ id }) => id === comparisonId);
  const following = open.find(({ id }) => all.findIndex((one) => one.id === id) > place) ?? open[0];
  return {
    count: open.length,
    open: () => {
      if (following) void navigate({ to: "/compare/$id", params: { id: following.id } });
    },
  };
}

/**
 * The author's actions on a comparison: adds results until the first vote, renames it, and moves it
 * to the trash.
 */
function Author({
  comparison: { comparison, entries, vote, votes },
}: {
  comparison: ComparisonView;
}) {
  const [isAdding, setAdding] = useState(false);
  const wasAdding = useWasOpen(isAdding);
  const [isRenaming, setRenaming] = useState(false);
  const change = useChangeComparison(comparison.id);
  const navigate = useNavigate();
  const isPhone = useWidth() === "phone";
  const acts = useComparisonActs(comparison, {
    onRename: () => setRenaming(true),
    onTrashed: () => void navigate({ to: "/compare" }),
  });
  const first = entries.find(({ asset }) => asset !== null)?.asset;
  if (comparison.trashedAt !== null)
    return (
      <ActionButton
        action="compare.restore"
        icon={RotateCcw}
        onClick={() => change.mutate({ trashed: false })}
      >
        {t("compare.restore")}
      </ActionButton>
    );
  const mayAdd =
    first !== undefined &&
    votes === 0 &&
    vote.revealedAt === null &&
    entries.length < limits.comparisonEntries;
  const add = () => setAdding(true);
  const label = t("compare.actions", { title: comparison.title || t("compare.untitled") });
  return (
    <>
      {mayAdd && !isPhone && (
        <ActionButton action="compare.add" icon={Plus} onClick={add}>
          {t("compare.add")}
        </ActionButton>
      )}
      <ActionMenu
        label={label}
        entries={[
          // With two buttons, a phone has no room for the title.
          ...(mayAdd && isPhone
            ? [{ label: t("compare.add"), icon: Plus, movesFocus: true, onSelect: add }]
            : []),
          ...acts,
        ]}
        trigger={<IconButton icon={Ellipsis} label={label} />}
      />
      {isRenaming && (
        <RenameComparison comparison={comparison} onClose={() => setRenaming(false)} />
      )}
      {wasAdding && first && (
        <ChooseResults
          open={isAdding}
          onOpenChange={setAdding}
          title={t("compare.add.title")}
          kind={first.kind}
          without={entries.flatMap(({ asset }) => asset?.id ?? [])}
          there={entries.length}
          label={() => t("compare.add")}
          isBusy={change.isPending}
          onChoose={(ids) =>
            change.mutate(
              { add: ids.map((assetId) => ({ assetId })) },
              { onSuccess: () => setAdding(false) },
            )
          }
        />
      )}
    </>
  );
}

type CommandTargets = {
  /** The number of results to vote for; 0 for people who may not vote. */
  count: number;
  mayReveal: boolean;
  isPictures: boolean;
  onBest: (place: number) => void;
  onNone: () => void;
  onTie: () => void;
  onZoom: () => void;
  /** Null without another comparison to vote on. */
  onNext: (() => void) | null;
  onReveal: () => void;
  onView: (view: string | null) => void;
};

function useCompareCommands(targets: CommandTargets): void {
  const group = t("screen.compare");
  const { count, mayReveal, isPictures } = targets;
  const commands = [
    ...Array.from({ length: count }, (_, place) => ({
      id: `compare.best.${place}`,
      title: t("compare.best.choose", { number: place + 1 }),
      shortcut: String(place + 1),
      run: () => targets.onBest(place),
    })),
    ...(count > 0
      ? [
          { id: "compare.none", title: t("compare.none"), shortcut: "0", run: targets.onNone },
          { id: "compare.tie", title: t("compare.tie"), shortcut: "=", run: targets.onTie },
        ]
      : []),
    ...(targets.onNext
      ? [{ id: "compare.next", title: t("compare.next"), shortcut: "n", run: targets.onNext }]
      : []),
    // Has no shortcut, because it can't be undone.
    ...(mayReveal
      ? [{ id: "compare.reveal", title: t("compare.reveal"), run: targets.onReveal }]
      : []),
    ...(isPictures
      ? [
          { id: "compare.zoom", title: t("compare.zoom"), shortcut: "z", run: targets.onZoom },
          ...views.map((name, index) => ({
            id: `compare.view.${name}`,
            title: t(`compare.view.${name}`),
            shortcut: ["s", "l", "f"][index] ?? "",
            run: () => targets.onView(name === "side" ? null : name),
          })),
        ]
      : []),
  ];
  useCommands(commands.map((command) => ({ ...command, group })));
}
