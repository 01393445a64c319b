import { createContext, useContext } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import { thumbnailUrl } from "../../asset/asset-urls.ts";
import { taskIcon } from "../../model/task-icon.ts";
import styles from "./run-list.module.css";

const maxShown = 3;
const thumbPx = 40;

/** The files of a list's runs, by run. Without this context the list shows no pictures. */
const Pictures = createContext<ReadonlyMap<string, readonly Asset[]> | null>(null);
export const RunPicturesProvider = Pictures;

/**
 * Small previews of these runs' files; the task's icon for text and sound, and until there are
 * files.
 */
export function RunPictures({ runs }: { runs: readonly [Run, ...Run[]] }) {
  const byRun = useContext(Pictures);
  if (!byRun) return null;
  const shown = runs
    .flatMap(({ id }) => byRun.get(id) ?? [])
    .flatMap((asset) => {
      const url = thumbnailUrl(asset, thumbPx * devicePixelRatio);
      return url === null ? [] : { id: asset.id, url };
    })
    .slice(0, maxShown);
  const Icon = taskIcon(runs[0].task);
  return (
    <span className={styles.pictures} aria-hidden>
      {shown.map(({ id, url }) => (
        <img key={id} src={url} alt="" loading="lazy" width={thumbPx} height={thumbPx} />
      ))}
      {shown.length === 0 && (
        <span className={styles.sign}>
          <Icon />
        </span>
      )}
    </span>
  );
}
