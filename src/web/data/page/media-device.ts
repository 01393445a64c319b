/** The reason that a page gets no sound or picture from a device. */
export type DeviceTrouble = "insecure" | "unsupported" | "denied" | "none" | "busy" | "broken";

/** Whether another try can help. */
export const isRetryable = (trouble: DeviceTrouble): boolean =>
  trouble !== "insecure" && trouble !== "unsupported";

/** The microphone or the camera can't be used. */
export class DeviceProblem extends Error {
  override readonly name = "DeviceProblem";
  readonly trouble: DeviceTrouble;
  constructor(trouble: DeviceTrouble, cause?: unknown) {
    super(trouble, { cause });
    this.trouble = trouble;
  }
}

/** By the name of the DOMException of getUserMedia (Media Capture and Streams, 10.3.1). */
const troubleOf: Readonly<Record<string, DeviceTrouble>> = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "none",
  OverconstrainedError: "none",
  NotReadableError: "busy",
  AbortError: "busy",
};

/**
 * Requests a microphone or a camera, for which the browser asks the person.
 * @throws DeviceProblem
 */
export async function openDevice(wanted: MediaStreamConstraints): Promise<MediaStream> {
  // Browsers give no device to pages over plain http, except on localhost.
  if (!window.isSecureContext) throw new DeviceProblem("insecure");
  if (!navigator.mediaDevices?.getUserMedia) throw new DeviceProblem("unsupported");
  return navigator.mediaDevices.getUserMedia(wanted).catch((error: unknown) => {
    const trouble = error instanceof DOMException ? troubleOf[error.name] : undefined;
    throw new DeviceProblem(trouble ?? "broken", error);
  });
}

/** Turns the device off. */
export function closeDevice(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

export const toDeviceTrouble = (error: unknown): DeviceTrouble =>
  error instanceof DeviceProblem ? error.trouble : "broken";
