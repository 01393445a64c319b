import { DeviceProblem, openDevice } from "../../../data/page/media-device.ts";

/**
 * Requests the camera that faces away from the person, or else any.
 * @throws DeviceProblem
 */
export const openCamera = (): Promise<MediaStream> =>
  openDevice({ video: { facingMode: "environment", width: { ideal: 1920 } } });

/** The video's current frame as a file for the library. */
export async function takePhoto(video: HTMLVideoElement): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", 0.92),
  );
  if (!blob) throw new DeviceProblem("broken");
  return new File([blob], "photo.jpg", { type: blob.type });
}
