import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  AudioLines,
  Box,
  Columns2,
  Ellipsis,
  File,
  FileText,
  Film,
  type LucideIcon,
  Plus,
  RotateCcw,
  Trash2,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { thumbnailUrl } from "../../components/asset/asset-urls.ts";
import { ChooseResults } from "../../components/compare/choose-results.tsx";
import {
  comparisonsQuery,
  type ListedComparison,
  useBlindChoice,
  useChangeComparison,
  useCompare,
} from "../../components/compare/compare.queries.ts";
import { isProblem } from "../../data/client.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { ActionButton, useActions } from "../../frame/action-button.tsx";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { Chip } from "../../ui/controls/chip.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Switch } from "../../ui/controls/switch.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { Time } from "../../ui/display/time.tsx";
import { keepFocus } from "../../ui/lists/list.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import styles from "./compare.module.css";
import { RenameComparison, useComparisonActs } from "./comparison-acts.tsx";
import { useBoardPanel } from "./leaderboard.tsx";

const thumbPx = 120;

/** Icons for results without a picture. */
const icons: Record<Asset["kind"], LucideIcon> = {
  image: Columns2,
  video: Film,
  audio: AudioLines,
  "3d": Box,
  text: FileText,
  file: File,
};

/** A project's comparisons as cards, with the leaderboard at the right. */
export function ComparisonList({ projectId }: { projectId: string }) {
  const { project } = useSession();
  const [trashText, setTrash] = useSearchValue("trash");
  const isTrash = trashText === "1";
  const found = useInfiniteQuery(comparisonsQuery(projectId, isTrash));
  const comparisons = found.data?.pages.flatMap((page) => page.comparisons) ?? [];
  const board = useBoardPanel();
  const mayEdit = project.role !== "viewer";
  const [isStarting, setStarting] = useState(false);
  const start = (variant: "primary" | "secondary") =>
    mayEdit &&
    !isTrash && (
      <ActionButton
        action="compare.new"
        icon={Plus}
        variant={variant}
        onClick={() => setStarting(true)}
      >
        {t("compare.new")}
      </ActionButton>
    );
  const toggleTrash = () => setTrash(isTrash ? null : "1");
  useActions([
    {
      id: "compare.trash",
      title: t(isTrash ? "compare.trash.leave" : "compare.trash.open"),
      icon: Trash2,
      run: toggleTrash,
    },
  ]);
  const tools = (
    <Chip icon={Trash2} selected={isTrash} onClick={toggleTrash}>
      {t("compare.trash")}
    </Chip>
  );
  return (
    <Screen
      title={t("screen.compare")}
      heading={t("screen.compare")}
      tools={tools}
      // An empty list has the button in its middle.
      actions={(comparisons.length > 0 || found.isError) && start("secondary")}
      inspector={board}
    >
      {mayEdit && <CompareWith />}
      {isStarting && <StartComparison first={null} onClose={() => setStarting(false)} />}
      {found.isError && !found.data ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : found.isPending ? (
        <div className={styles.page}>
          <SkeletonText />
        </div>
      ) : comparisons.length === 0 ? (
        <NoComparisons isTrash={isTrash} start={start("primary")} />
      ) : (
        <div className={styles.page}>
          <ul ref={keepFocus} className={styles.cards}>
            {comparisons.map((comparison) => (
              <Card
                key={comparison.id}
                comparison={comparison}
                isTrash={isTrash}
                mayEdit={mayEdit}
              />
            ))}
          </ul>
          <ListMore query={found} />
        </div>
      )}
    </Screen>
  );
}

function Card({
  comparison,
  isTrash,
  mayEdit,
}: {
  comparison: ListedComparison;
  isTrash: boolean;
  mayEdit: boolean;
}) {
  const { user } = useSession();
  const { id, title, entries, isVoted, assets, createdAt, userId } = comparison;
  const [isRenaming, setRenaming] = useState(false);
  const acts = useComparisonActs(comparison, { onRename: () => setRenaming(true) });
  const change = useChangeComparison(id);
  const isMine = mayEdit && userId === user.id;
  const name = title || t("compare.untitled");
  const actsOf = t("compare.actions", { title: name });
  const pictures = assets.slice(0, 4).flatMap((asset) => {
    const src = thumbnailUrl(asset, thumbPx * devicePixelRatio);
    return src ? [{ id: asset.id, src }] : [];
  });
  const Icon = icons[assets[0]?.kind ?? "text"];
  return (
    <li data-row className={styles.card} data-menu={(isMine && !isTrash) || undefined}>
      <Link to="/compare/$id" params={{ id }} className={styles.cardLink}>
        <span className={styles.thumbs} aria-hidden>
          {pictures.map(({ id: assetId, src }) => (
            <img key={assetId} src={src} alt="" />
          ))}
          {pictures.length === 0 && <Icon />}
        </span>
        <span className={styles.cardTitle}>{name}</span>
        <span className={styles.cardFacts}>
          {t("compare.results", { count: entries })} · <Time at={createdAt} />
          {isVoted && ` · ${t("compare.voted")}`}
        </span>
      </Link>
      {isMine && !isTrash && (
        <span className={styles.cardMenu}>
          <ActionMenu
            label={actsOf}
            entries={acts}
            trigger={<IconButton size="small" icon={Ellipsis} label={actsOf} />}
          />
        </span>
      )}
      {isRenaming && (
        <RenameComparison comparison={comparison} onClose={() => setRenaming(false)} />
      )}
      {isMine && isTrash && (
        <Button
          size="small"
          icon={RotateCcw}
          busy={change.isPending}
          onClick={() => change.mutate({ trashed: false })}
        >
          {t("compare.restore")}
        </Button>
      )}
    </li>
  );
}

function NoComparisons({ isTrash, start }: { isTrash: boolean; start: ReactNode }) {
  if (isTrash)
    return (
      <EmptyState icon={Trash2} title={t("compare.trash.none")}>
        {t("compare.trash.none.text")}
      </EmptyState>
    );
  const action = start && (
    <>
      {start}
      <Link to="/create" className={buttonClass()}>
        {t("compare.empty.create")}
      </Link>
    </>
  );
  return (
    <EmptyState icon={Columns2} title={t("compare.empty")} action={action}>
      {t("compare.empty.text")}
    </EmptyState>
  );
}

/** Compares results with the one in the address. */
function CompareWith() {
  const [assetId, setAssetId] = useSearchValue("with");
  const found = useQuery({ ...assetQuery(assetId ?? ""), enabled: assetId !== undefined });
  const asset = found.data?.asset;
  if (assetId === undefined) return null;
  if (isProblem(found.error, "not_found") || isProblem(found.error, "invalid_input"))
    return (
      <p className={styles.missing} role="alert">
        {t("compare.with.missing")}
      </p>
    );
  if (!asset)
    return found.isError ? (
      <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
    ) : null;
  return <StartComparison first={asset} onClose={() => setAssetId(null)} />;
}

/** Picks the results of a new comparison, `first` among them if it is given. */
function StartComparison({ first, onClose }: { first: Asset | null; onClose: () => void }) {
  const compare = useCompare();
  const [lastChoice, saveChoice] = useBlindChoice();
  const [isBlind, setBlind] = useState(lastChoice);
  const there = first ? [first.id] : [];
  return (
    <ChooseResults
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t(first ? "compare.choose.title" : "compare.new.title")}
      kind={first?.kind}
      without={there}
      there={there.length}
      label={(chosen) => {
        const count = chosen + there.length;
        return t("compare.choose.do", { count: count < 2 ? 0 : count });
      }}
      isBusy={compare.isPending}
      onChoose={(ids) => {
        saveChoice(isBlind);
        compare.mutate({
          entries: [...there, ...ids].map((assetId) => ({ assetId })),
          blind: isBlind,
        });
      }}
    >
      <Switch
        label={t("compare.choose.blind")}
        hint={t("compare.choose.blind.hint")}
        checked={isBlind}
        onCheckedChange={setBlind}
      />
    </ChooseResults>
  );
}
