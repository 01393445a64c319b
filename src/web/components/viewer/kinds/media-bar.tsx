import { Pause, Play, Repeat1, Volume2, VolumeX } from "lucide-react";
import type { ReactNode } from "react";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import styles from "./media.module.css";
import type { Media } from "./use-media.ts";

/** Playback controls. `children` are next to the play button, such as a video's frame steps. */
export function MediaBar({
  media,
  slider,
  children,
}: {
  media: Media;
  slider?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={styles.bar}>
      <IconButton
        icon={media.isPlaying ? Pause : Play}
        label={t(media.isPlaying ? "viewer.pause" : "viewer.play")}
        shortcut="space"
        onClick={media.toggle}
      />
      {children}
      <span className={styles.clock}>
        {formatClip(media.atMs)} / {formatClip(media.lengthMs)}
      </span>
      <span className={styles.slider}>{slider}</span>
      <button
        type="button"
        className={styles.speed}
        aria-label={t("viewer.speed", { speed: media.speed })}
        data-tooltip={t("viewer.speed", { speed: media.speed })}
        onClick={media.nextSpeed}
      >
        {media.speed}×
      </button>
      <IconButton
        icon={Repeat1}
        label={t("viewer.loop")}
        shortcut="l"
        pressed={media.isLooping}
        onClick={media.toggleLoop}
      />
      <IconButton
        icon={media.isMuted ? VolumeX : Volume2}
        label={t("viewer.mute")}
        shortcut="o"
        pressed={media.isMuted}
        onClick={media.toggleMute}
      />
    </div>
  );
}
