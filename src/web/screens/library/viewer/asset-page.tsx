import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, ImageOff } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { isProblem } from "../../../data/client.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { Part } from "../../../ui/part.tsx";
import library from "../library.module.css";
import styles from "./asset-page.module.css";
import { AssetViewer } from "./asset-viewer.tsx";
import type { Neighbours } from "./use-neighbours.ts";

/** The title of the asset for the page's header, and whether it could not be loaded. */
export function useAssetHead(assetId: string | undefined): {
  title: string | undefined;
  isMissing: boolean;
} {
  const { data, error } = useQuery({
    ...assetQuery(assetId ?? ""),
    enabled: assetId !== undefined,
  });
  return { title: data && assetName(data.asset), isMissing: error !== null && data === undefined };
}

/** Moves between asset pages and back, with the same filter. */
function useAssetSteps() {
  const navigate = useNavigate();
  return {
    show: (assetId: string | null | undefined) => {
      if (assetId)
        void navigate({
          to: "/library/$assetId",
          params: { assetId },
          search: (search) => search,
          replace: true,
        });
    },
    back: () => void navigate({ to: "/library", search: (search) => search }),
  };
}

/** Links to the previous and the next item. */
export function AssetPageHead({ neighbours }: { neighbours: Neighbours }) {
  const { show } = useAssetSteps();
  return (
    <>
      <IconButton
        icon={ChevronLeft}
        label={t("asset.previous")}
        disabled={!neighbours?.beforeId}
        onClick={() => show(neighbours?.beforeId)}
      />
      <IconButton
        icon={ChevronRight}
        label={t("asset.next")}
        disabled={!neighbours?.afterId}
        onClick={() => show(neighbours?.afterId)}
      />
      {neighbours && (
        <span className={library.place}>
          {t("asset.place", { place: neighbours.index + 1, count: neighbours.count })}
        </span>
      )}
    </>
  );
}

/** The page of one asset. Left and right arrow keys go to its neighbors, Escape to the library. */
export function AssetPage({ assetId, neighbours }: { assetId: string; neighbours: Neighbours }) {
  const query = useQuery(assetQuery(assetId));
  const { show, back } = useAssetSteps();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event;
      const isElsewhere =
        target instanceof Element &&
        target.closest(
          'input,textarea,select,audio,video,[role="dialog"],[role="menu"],[role="separator"],[role="radiogroup"]',
        );
      if (event.defaultPrevented || isElsewhere || event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (event.key === "ArrowLeft") show(neighbours?.beforeId);
      else if (event.key === "ArrowRight") show(neighbours?.afterId);
      else if (event.key === "Escape") back();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
  return <div className={styles.page}>{showAsset(query)}</div>;
}

type Answer = { data?: { asset: Asset }; error: Error | null; refetch: () => unknown };

function showAsset(query: Answer): ReactNode {
  if (query.data)
    return (
      <Part fallback={<Coming />}>
        <AssetViewer asset={query.data.asset} />
      </Part>
    );
  if (isProblem(query.error, "not_found")) return <Gone />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Coming />;
}

function Coming() {
  return (
    <div className={styles.coming} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <Skeleton width="62%" height="72%" radius={5} />
    </div>
  );
}

function Gone() {
  const action = (
    <Link to="/library" className={buttonClass()}>
      {t("asset.gone.back")}
    </Link>
  );
  return (
    <EmptyState icon={ImageOff} title={t("asset.gone")} action={action}>
      {t("asset.gone.text")}
    </EmptyState>
  );
}
