import { type RefObject, useEffect, useRef } from "react";

/** At 60 frames a second. A longer frame is found by trying, a shorter one would be skipped. */
const shortestMs = 1_000 / 60;
const [leastMs, mostMs] = [4, 250];

/**
 * Steps from one displayed frame to another. The file's frame rate isn't known here, so a frame's
 * duration is measured during playback or at the first step.
 */
export function useFrames(
  video: RefObject<HTMLVideoElement | null>,
  seek: (ms: number) => void,
): (by: -1 | 1) => void {
  const frameMs = useRef(shortestMs);
  /** When the displayed frame begins; null without requestVideoFrameCallback. */
  const shownMs = useRef<number | null>(null);
  /** The frame that a step forward leaves. */
  const left = useRef<{ ms: number; tries: number } | null>(null);
  const latestSeek = useRef(seek);
  useEffect(() => {
    latestSeek.current = seek;
  });
  useEffect(() => {
    const element = video.current;
    if (!element || !("requestVideoFrameCallback" in element)) return undefined;
    let lastFrame = 0;
    let request = 0;
    const learn = (length: number) => {
      if (length > leastMs && length < mostMs) frameMs.current = length;
    };
    const onFrame: VideoFrameRequestCallback = (_now, { mediaTime, presentedFrames }) => {
      const ms = mediaTime * 1000;
      if (!element.paused && presentedFrames === lastFrame + 1) learn(ms - (shownMs.current ?? ms));
      lastFrame = presentedFrames;
      shownMs.current = ms;
      request = element.requestVideoFrameCallback(onFrame);
      if (!left.current || !element.paused) return;
      if (ms === left.current.ms && left.current.tries * shortestMs < mostMs) {
        left.current.tries += 1;
        return latestSeek.current(element.currentTime * 1000 + frameMs.current);
      }
      learn(ms - left.current.ms);
      left.current = null;
    };
    request = element.requestVideoFrameCallback(onFrame);
    return () => element.cancelVideoFrameCallback(request);
  }, [video]);
  return (by) => {
    const element = video.current;
    if (!element) return;
    element.pause();
    const nowMs = element.currentTime * 1000;
    const isWaiting = element.seeking || shownMs.current === null;
    left.current = by > 0 && !isWaiting ? { ms: shownMs.current ?? nowMs, tries: 0 } : null;
    // From the middle of a frame to the middle of another, so that rounding skips none.
    const middle = isWaiting ? nowMs : (shownMs.current ?? nowMs) + frameMs.current / 2;
    seek(middle + by * frameMs.current);
  };
}
