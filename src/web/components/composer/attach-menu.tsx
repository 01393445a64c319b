import { Camera, Images, Paperclip, Upload } from "lucide-react";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { ActMenu } from "../../frame/act-menu.tsx";
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
  /** What the file picker offers: "image/*,application/pdf". */
  accept?: string;
  /** What is shown of the library. */
  kind: FileKind;
  /** How many files still fit. */
  room: number;
  onFiles: (files: File[]) => void;
  onAssets: (assets: Asset[]) => void;
};

/**
 * A page can't open a camera here: our policy allows none. A phone's own camera app takes a picture through a file field, on
 * plain http too. Elsewhere that field is a second file picker.
 */
const hasCamera = () => matchMedia("(pointer: coarse)").matches;

/** Attaches files of the device, of the library, or of a phone's camera. */
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
      <ActMenu
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
      // The same file may be chosen again after it was removed.
      currentTarget.value = "";
      if (files.length > 0) onFiles(files);
    }}
  />
);
