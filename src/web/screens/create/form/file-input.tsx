import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileX, Images, Plus, Upload, X } from "lucide-react";
import { type ClipboardEvent, useEffect, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { UploadLine } from "../../../components/asset/uploads/upload-list.tsx";
import { useUploads } from "../../../components/asset/uploads/use-uploads.ts";
import { useFileDrop } from "../../../components/composer/use-file-drop.ts";
import { assetReference } from "../../../components/schema-form/field-facts.ts";
import type { FileSlot } from "../../../components/schema-form/form-context.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { useWasOpen } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { OptionalPart, PopupPart } from "../../../ui/part.tsx";
import styles from "./file-input.module.css";

const AssetTile = lazyPart(() =>
  import("../../../components/asset/asset-tile.tsx").then(({ AssetTile }) => AssetTile),
);
const LibraryPicker = lazyPart(
  () =>
    import("../../../components/asset/pick/library-picker.tsx").then(
      ({ LibraryPicker }) => LibraryPicker,
    ),
  "pick",
);

/** Each dragged file is read first, because its kind may not fit. */
const maxDragged = 50;

const idOf = (reference: string) => reference.replace(/^asset:/, "");

/**
 * A file field: upload, drop, paste or pick from the library. Uploads are saved in the library too.
 */
export function FileInput({
  label,
  id,
  describedBy,
  accepts,
  value,
  most,
  isDisabled,
  onChange,
}: FileSlot) {
  const { project } = useSession();
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const toast = useToast();
  const [isPicking, setPicking] = useState(false);
  const wasPicking = useWasOpen(isPicking);
  const uploads = useUploads(project.id);
  const shown = uploads.uploads.filter(({ state }) => state !== "done");
  const [error, setError] = useState<string | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  // An upload ends later, when the form has other values, or is gone: a change of models makes a new
  // one.
  const latest = useRef<Pick<FileSlot, "value" | "onChange"> | null>(null);
  useEffect(() => {
    latest.current = { value, onChange };
    return () => {
      latest.current = null;
    };
  });
  const add = (references: string[]) => {
    if (!latest.current) {
      toast({ text: t("create.file.saved") });
      return;
    }
    const before = most === 1 ? [] : latest.current.value;
    latest.current.onChange([...new Set([...before, ...references])].slice(0, most));
  };
  const take = (sent: readonly Asset[]) => {
    const fitting = sent.filter(({ kind }) => accepts === "file" || kind === accepts);
    const wrong = sent.find((asset) => !fitting.includes(asset));
    if (wrong && accepts !== "file")
      setError(t(`create.file.wrong.${accepts}`, { name: assetName(wrong) }));
    if (fitting.length > 0) add(fitting.map(({ id }) => assetReference(id)));
  };
  const send = async (files: readonly File[]) => {
    setError(null);
    uploads.dismiss();
    take(await uploads.add(files.slice(0, most)));
  };
  const retry = async (id: number) => {
    const asset = await uploads.retry(id);
    if (asset) take([asset]);
  };
  const takeById = async (ids: readonly string[]) => {
    setError(null);
    const read = ids.slice(0, maxDragged).map((id) => queryClient.fetchQuery(assetQuery(id)));
    const details = await Promise.allSettled(read);
    const failed = details.find((one) => one.status === "rejected");
    if (failed) showError(failed.reason);
    take(details.flatMap((one) => (one.status === "fulfilled" ? one.value.asset : [])));
  };
  const { isOver, handlers } = useFileDrop(
    isDisabled
      ? {}
      : { onFiles: (files) => void send(files), onAssets: (ids) => void takeById(ids) },
  );
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0 || isDisabled) return;
    event.preventDefault();
    event.stopPropagation();
    void send(files);
  };
  const entries = [
    { label: t("create.file.upload"), icon: Upload, onSelect: () => chooser.current?.click() },
    { label: t("create.file.library"), icon: Images, onSelect: () => setPicking(true) },
  ];
  const canAdd =
    value.length < most && !isDisabled && shown.every(({ state }) => state === "failed");
  return (
    // biome-ignore lint/a11y/useSemanticElements: the fieldset around it has the name
    <div
      role="group"
      aria-label={label}
      className={classes(styles.slot, isOver && styles.over)}
      {...handlers}
      onPaste={onPaste}
    >
      {value.map((reference, place) => (
        <Chosen
          key={reference}
          assetId={idOf(reference)}
          onRemove={
            isDisabled ? undefined : () => onChange(value.filter((_, index) => index !== place))
          }
        />
      ))}
      {shown.length > 0 && (
        <ul className={styles.uploads}>
          {shown.map((upload) => (
            <UploadLine
              key={upload.id}
              upload={upload}
              onRetry={() => void retry(upload.id)}
              onStop={() => uploads.stop(upload.id)}
            />
          ))}
        </ul>
      )}
      {canAdd && (
        <ActionMenu
          label={label}
          align="start"
          entries={entries}
          trigger={
            <button
              type="button"
              id={id}
              aria-describedby={describedBy}
              className={classes(styles.add, value.length === 0 && styles.empty)}
            >
              <Plus aria-hidden />
              {value.length === 0 ? (
                <span>{t("create.file.add")}</span>
              ) : (
                <span className={styles.hiddenName}>{t("create.file.another")}</span>
              )}
            </button>
          }
        />
      )}
      <input
        ref={chooser}
        type="file"
        hidden
        multiple={most > 1}
        accept={accepts === "file" ? undefined : `${accepts}/*`}
        aria-label={t("create.file.for", { label })}
        onChange={({ currentTarget }) => {
          void send([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      {wasPicking && (
        <PopupPart open={isPicking} onClose={() => setPicking(false)}>
          <LibraryPicker
            open={isPicking}
            onOpenChange={setPicking}
            projectId={project.id}
            kind={accepts}
            most={most === 1 ? 1 : most - value.length}
            onPick={(assets) => add(assets.map(({ id }) => assetReference(id)))}
          />
        </PopupPart>
      )}
    </div>
  );
}

function Chosen({ assetId, onRemove }: { assetId: string; onRemove?: () => void }) {
  const query = useQuery(assetQuery(assetId));
  const name = query.data ? assetName(query.data.asset) : t("create.file");
  return (
    <div className={styles.chosen}>
      <OptionalPart fallback={<Skeleton height="100%" radius={5} />}>
        {query.data ? (
          <Face asset={query.data.asset} />
        ) : query.isError ? (
          <Lost />
        ) : (
          <Skeleton height="100%" radius={5} />
        )}
      </OptionalPart>
      {onRemove && (
        <IconButton
          size="small"
          icon={X}
          label={t("create.file.remove", { name })}
          className={styles.remove}
          onClick={onRemove}
        />
      )}
    </div>
  );
}

const Face = ({ asset }: { asset: Asset }) => (
  <AssetTile asset={asset} href={`/library/${asset.id}`} width={64} />
);

function Lost() {
  return (
    <span className={styles.lost} data-tooltip={t("create.file.lost")}>
      <FileX aria-label={t("create.file.lost")} />
    </span>
  );
}
