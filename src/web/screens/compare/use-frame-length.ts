import { type RefObject, useEffect, useRef } from "react";

/** The assumed frame duration before the video has played: 1/30 s. */
const usualFrameMs = 1_000 / 30;

/**
 * The duration of a frame, measured from displayed frames, because the file's frame rate isn't
 * known here.
 */
export function useFrameLength(video: RefObject<HTMLVideoElement | null>) {
  const frameMs = useRef(usualFrameMs);
  useEffect(() => {
    const element = video.current;
    if (!element || !("requestVideoFrameCallback" in element)) return undefined;
    let last: { at: number; frames: number } | null = null;
    let request = 0;
    const onFrame: VideoFrameRequestCallback = (_now, { mediaTime, presentedFrames }) => {
      if (last && presentedFrames === last.frames + 1 && !element.paused) {
        const length = (mediaTime - last.at) * 1000;
        if (length > 4 && length < 250) frameMs.current = length;
      }
      last = { at: mediaTime, frames: presentedFrames };
      request = element.requestVideoFrameCallback(onFrame);
    };
    request = element.requestVideoFrameCallback(onFrame);
    return () => element.cancelVideoFrameCallback(request);
  }, [video]);
  return frameMs;
}
