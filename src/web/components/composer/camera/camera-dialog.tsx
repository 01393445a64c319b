import { Camera, Paperclip, RotateCcw } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  closeDevice,
  type DeviceTrouble,
  isRetryable,
  toDeviceTrouble,
} from "../../../data/page/media-device.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./camera.module.css";
import { openCamera, takePhoto } from "./open-camera.ts";

export type CameraDialogProps = {
  onPhoto: (photo: File) => void;
  onClose: () => void;
};

/** Takes a photo with the computer's camera, shows it, and attaches it. */
export function CameraDialog({ onPhoto, onClose }: CameraDialogProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [stream, setStream] = useState<MediaStream | null>(null);
  const [isReady, setReady] = useState(false);
  const [photo, setPhoto] = useState<File | null>(null);
  const [trouble, setTrouble] = useState<DeviceTrouble | null>(null);
  const [tries, setTries] = useState(0);
  const fail = (error: unknown) => setTrouble(toDeviceTrouble(error));

  useEffect(() => {
    let isClosed = false;
    let camera: MediaStream | undefined;
    setTrouble(null);
    openCamera().then((opened) => {
      if (isClosed) return closeDevice(opened);
      camera = opened;
      setStream(opened);
    }, fail);
    return () => {
      isClosed = true;
      if (camera) closeDevice(camera);
    };
  }, [tries]);
  // The camera may open before the dialog's code is loaded.
  const show = useCallback(
    (element: HTMLVideoElement | null) => {
      video.current = element;
      if (element) element.srcObject = stream;
    },
    [stream],
  );

  const take = () => {
    const { current } = video;
    if (!current) return;
    current.pause();
    takePhoto(current).then(setPhoto, fail);
  };
  const retake = () => {
    setPhoto(null);
    // Closing the dialog before playback starts rejects the play, which isn't an error.
    video.current?.play().catch(() => undefined);
  };
  const attach = () => {
    if (photo) onPhoto(photo);
    onClose();
  };
  const footer = trouble ? (
    <>
      <Button onClick={onClose}>{t("ui.close")}</Button>
      {isRetryable(trouble) && (
        <Button variant="primary" onClick={() => setTries(tries + 1)}>
          {t("ui.tryAgain")}
        </Button>
      )}
    </>
  ) : photo ? (
    <>
      <Button icon={RotateCcw} onClick={retake}>
        {t("camera.retake")}
      </Button>
      <Button variant="primary" icon={Paperclip} autoFocus onClick={attach}>
        {t("camera.attach")}
      </Button>
    </>
  ) : (
    // A disabled button can't take the focus, so a new one takes it once the camera is ready.
    <Button
      key={String(isReady)}
      variant="primary"
      icon={Camera}
      autoFocus={isReady}
      disabled={!isReady}
      onClick={take}
    >
      {t("camera.take")}
    </Button>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(trouble ? `camera.${trouble}` : "camera.title")}
      footer={footer}
    >
      {trouble ? (
        <p role="alert" className={styles.advice}>
          {t(`camera.${trouble}.advice`)}
        </p>
      ) : (
        <video
          ref={show}
          className={styles.picture}
          aria-label={t(photo ? "camera.photo" : "camera.picture")}
          muted
          autoPlay
          playsInline
          onLoadedData={() => setReady(true)}
        />
      )}
    </Dialog>
  );
}
