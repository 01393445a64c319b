import { Camera, Images, Paperclip, Upload } from "lucide-react";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { useWasOpen } from "../../ui/overlays/dialog.tsx";
import { PopupPart } from "../../ui/part.tsx";
import type { FileKind } from "../schema-form/field-facts.ts";

const LibraryPicker = lazyPart(
  () => import("../asset/pick/library-picker.tsx").then(({ LibraryPicker }) => LibraryPicker),
  "pick",
);

export type AttachMenuProps = {
  projectId: string;
  /** The file picker's filter: "image/*,application/pdf". */
  accept?: string;
  /** The kind of library files to show. */
  kind: FileKind;
  /** How many files still fit. */
  room: number;
  onFiles: (files: File[]) => void;
  onAssets: (assets: Asset[]) => void;
};

/**
 * The page's permissions policy blocks the camera. On a phone, a file field opens the camera app,
 * on plain HTTP too; elsewhere the field would be a second file picker.
 */
const hasCamera = () => matchMedia("(pointer: coarse)").matches;

/** Attaches files from the device, the library, or a phone's camera. */
export function AttachMenu({ projectId, accept, kind, room, onFiles, onAssets }: AttachMenuProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const [isPicking, setPicking] = useState(false);
  const wasPicking = useWasOpen(isPicking);
  const entries = [
    {
      label: t("composer.attach.device"),
      icon: Upload,
      onSelect: () => chooser.current?.click(),
    },
    {
      label: t("composer.attach.library"),
      icon: Images,
      disabled: room < 1,
      movesFocus: true,
      onSelect: () => setPicking(true),
    },
    ...(hasCamera()
      ? [
          {
            label: t("composer.attach.photo"),
            icon: Camera,
            onSelect: () => camera.current?.click(),
          },
        ]
      : []),
  ];
  return (
    <>
      <ActionMenu
        label={t("composer.attach")}
        side="top"
        align="start"
        entries={entries}
        trigger={<IconButton icon={Paperclip} label={t("composer.attach")} />}
      />
      <HiddenInput ref={chooser} multiple accept={accept} onFiles={onFiles} />
      <HiddenInput ref={camera} accept="image/*" capture="environment" onFiles={onFiles} />
      {wasPicking && (
        <PopupPart open={isPicking} onClose={() => setPicking(false)}>
          <LibraryPicker
            open={isPicking}
            onOpenChange={setPicking}
            projectId={projectId}
            kind={kind}
            most={Math.max(1, room)}
            onPick={onAssets}
          />
        </PopupPart>
      )}
    </>
  );
}

type HiddenInputProps = Pick<React.ComponentProps<"input">, "ref" | "multiple" | "accept"> & {
  capture?: "environment";
  onFiles: (files: File[]) => void;
};

const HiddenInput = ({ onFiles, ...rest }: HiddenInputProps) => (
  <input
    {...rest}
    type="file"
    hidden
    onChange={({ currentTarget }) => {
      const files = [...(currentTarget.files ?? [])];
      // Lets the same file be picked again after it was removed.
      currentTarget.value = "";
      if (files.length > 0) onFiles(files);
    }}
  />
);
