/** The reason that the page shows no camera picture. */
export type CameraTrouble = "insecure" | "denied" | "none" | "busy";

export class CameraProblem extends Error {
  override readonly name = "CameraProblem";
  readonly trouble: CameraTrouble;
  constructor(trouble: CameraTrouble, cause?: unknown) {
    super(trouble, { cause });
    this.trouble = trouble;
  }
}

const troubleOf: Readonly<Record<string, CameraTrouble>> = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "none",
  OverconstrainedError: "none",
};

/**
 * Requests the camera that faces away from the person, or else any.
 * @throws CameraProblem
 */
export async function openCamera(): Promise<MediaStream> {
  // Browsers give no camera to pages over plain http, except on localhost.
  if (!window.isSecureContext) throw new CameraProblem("insecure");
  return navigator.mediaDevices
    .getUserMedia({ video: { facingMode: "environment", width: { ideal: 1920 } } })
    .catch((error: unknown) => {
      const trouble = error instanceof DOMException ? troubleOf[error.name] : undefined;
      throw new CameraProblem(trouble ?? "busy", error);
    });
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** The video's current frame as a file for the library. */
export async function takePhoto(video: HTMLVideoElement): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", 0.92),
  );
  if (!blob) throw new CameraProblem("busy");
  return new File([blob], "photo.jpg", { type: blob.type });
}
