import { ImageUp } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { firstPart } from "../../ui/lazy-part.ts";
import { PopupPart, useEarly } from "../../ui/part.tsx";
import styles from "./create.module.css";
import { usePageDrop } from "./use-page-drop.ts";

const load = () => import("./page-uploads.tsx").then(({ PageUploads }) => PageUploads);
const PageUploads = firstPart(load);

type DropUploadsProps = {
  projectId: string;
  isEnabled: boolean;
  onUploaded: (asset: Asset) => void;
};

/**
 * Takes files dropped or pasted on the page. The code that uploads them loads early; files that
 * come first wait for it.
 */
export function DropUploads({ projectId, isEnabled, onUploaded }: DropUploadsProps) {
  const [dropped, setDropped] = useState<readonly File[][]>([]);
  const isOver = usePageDrop(isEnabled, (files) => setDropped((before) => [...before, files]));
  useEarly(load);
  return (
    <>
      {isOver && (
        <div className={styles.drop}>
          <ImageUp aria-hidden />
          <p>{t("create.drop")}</p>
        </div>
      )}
      {dropped.length > 0 && (
        <PopupPart open onClose={() => setDropped([])}>
          <PageUploads projectId={projectId} dropped={dropped} onUploaded={onUploaded} />
        </PopupPart>
      )}
    </>
  );
}
