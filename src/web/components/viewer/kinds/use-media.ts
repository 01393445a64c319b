import { type RefObject, useEffect, useState } from "react";
import { useCommands } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";

const speeds: readonly number[] = [0.25, 0.5, 1, 1.5, 2];

/** The state of a video or sound, and its controls. */
export function useMedia(media: RefObject<HTMLMediaElement | null>, knownMs: number | null) {
  const [isPlaying, setPlaying] = useState(false);
  const [atMs, setAt] = useState(0);
  const [lengthMs, setLength] = useState(knownMs ?? 0);
  const [isLooping, setLooping] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const [isMuted, setMuted] = useState(false);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (!media.current) return;
    media.current.loop = isLooping;
    media.current.playbackRate = speed;
    media.current.muted = isMuted;
  }, [media, isLooping, speed, isMuted]);
  const toggle = () => {
    if (!media.current) return;
    if (!media.current.paused) return media.current.pause();
    // Pausing before playback starts rejects the play, which isn't an error. The element reports a
    // file that can't be played.
    media.current.play().catch(() => undefined);
  };
  const seek = (ms: number) => {
    if (!media.current) return;
    const to = Math.min(Math.max(0, ms), lengthMs || ms);
    setAt(to);
    media.current.currentTime = to / 1000;
  };
  const toggleLoop = () => setLooping(!isLooping);
  const toggleMute = () => setMuted(!isMuted);
  const changeSpeed = (by: -1 | 1) => setSpeed(speeds[speeds.indexOf(speed) + by] ?? speed);
  const group = t("viewer.title");
  const isFoundOnly = true;
  useCommands(
    [
      {
        id: "viewer.play",
        title: t("viewer.play"),
        group,
        shortcut: "space",
        isFoundOnly,
        run: toggle,
      },
      {
        id: "viewer.loop",
        title: t("viewer.loop"),
        group,
        shortcut: "l",
        isFoundOnly,
        run: toggleLoop,
      },
      {
        id: "viewer.mute",
        title: t("viewer.mute"),
        group,
        shortcut: "o",
        isFoundOnly,
        run: toggleMute,
      },
      {
        id: "viewer.slower",
        title: t("viewer.slower"),
        group,
        shortcut: "<",
        isFoundOnly,
        run: () => changeSpeed(-1),
      },
      {
        id: "viewer.faster",
        title: t("viewer.faster"),
        group,
        shortcut: ">",
        isFoundOnly,
        run: () => changeSpeed(1),
      },
    ],
    "cover",
  );
  return {
    isPlaying,
    atMs,
    lengthMs,
    isLooping,
    isMuted,
    isBroken,
    speed,
    toggle,
    seek,
    toggleLoop,
    toggleMute,
    nextSpeed: () => setSpeed(speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1),
    /** For the media element. */
    handlers: {
      onPlay: () => setPlaying(true),
      onPause: () => setPlaying(false),
      onError: () => setBroken(true),
      onTimeUpdate: () => setAt((media.current?.currentTime ?? 0) * 1000),
      onDurationChange: () => {
        const seconds = media.current?.duration;
        if (seconds !== undefined && Number.isFinite(seconds)) setLength(seconds * 1000);
      },
    },
  };
}
export type Media = ReturnType<typeof useMedia>;
