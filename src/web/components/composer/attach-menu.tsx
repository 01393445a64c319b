import { Camera, Images, Paperclip, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
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
const CameraDialog = lazyPart(
  () => import("./camera/camera-dialog.tsx").then(({ CameraDialog }) => CameraDialog),
  "camera",
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

/** On a phone, a file field opens the camera app; elsewhere it would be a second file picker. */
const hasCameraApp = () => matchMedia("(pointer: coarse)").matches;

/** Whether a camera can be offered. On plain http no page knows, and the dialog says why. */
function useCamera(): boolean {
  const [hasCamera, setCamera] = useState(!isSecureContext);
  useEffect(() => {
    const { mediaDevices } = navigator;
    // Undefined on plain http.
    if (!mediaDevices) return undefined;
    const look = () =>
      mediaDevices.enumerateDevices().then(
        (devices) => setCamera(devices.some(({ kind }) => kind === "videoinput")),
        () => undefined,
      );
    void look();
    // A camera may be connected later.
    mediaDevices.addEventListener("devicechange", look);
    return () => mediaDevices.removeEventListener("devicechange", look);
  }, []);
  return hasCamera;
}

/** Attaches files from the device, the library, or the camera. */
export function AttachMenu({ projectId, accept, kind, room, onFiles, onAssets }: AttachMenuProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const [isPicking, setPicking] = useState(false);
  const wasPicking = useWasOpen(isPicking);
  const [isTaking, setTaking] = useState(false);
  const hasCamera = useCamera();
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
    ...(hasCameraApp() || hasCamera
      ? [
          {
            label: t("composer.attach.photo"),
            icon: Camera,
            movesFocus: !hasCameraApp(),
            onSelect: () => (hasCameraApp() ? camera.current?.click() : setTaking(true)),
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
      {isTaking && (
        <PopupPart open onClose={() => setTaking(false)}>
          <CameraDialog onPhoto={(photo) => onFiles([photo])} onClose={() => setTaking(false)} />
        </PopupPart>
      )}
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
