import { Pause, Play } from "lucide-react";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { formatClip } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { assetName } from "./asset-name.ts";
import { fileUrl } from "./asset-urls.ts";
import styles from "./sound-player.module.css";
import { SeekWaveform } from "./waveform.tsx";

const bars = 56;

/** A sound in one line, with its waveform as the player. The file loads at the first play. */
export function SoundPlayer({ asset }: { asset: Asset }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [atMs, setAt] = useState(0);
  const [lengthMs, setLength] = useState(asset.durationMs ?? 0);
  const name = assetName(asset);
  const seek = (ms: number) => {
    setAt(ms);
    if (audio.current) audio.current.currentTime = ms / 1000;
  };
  const toggle = () => {
    if (isPlaying) audio.current?.pause();
    // Pausing before playback starts rejects the first play, which isn't an error.
    else
      audio.current?.play().catch((error: unknown) => {
        if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
      });
  };
  return (
    <div className={styles.player}>
      <IconButton
        icon={isPlaying ? Pause : Play}
        variant="bordered"
        label={t(isPlaying ? "asset.sound.pause" : "asset.sound.play", { name })}
        onClick={toggle}
      />
      <div className={styles.wave}>
        <SeekWaveform asset={asset} bars={bars} atMs={atMs} lengthMs={lengthMs} onSeek={seek} />
      </div>
      <span className={styles.clock}>{formatClip(isPlaying || atMs > 0 ? atMs : lengthMs)}</span>
      {/* biome-ignore lint/a11y/useMediaCaption: made sound has no captions; its text is its recipe */}
      <audio
        ref={audio}
        src={fileUrl(asset.id)}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime * 1000)}
        onDurationChange={({ currentTarget: { duration } }) => {
          if (Number.isFinite(duration)) setLength(duration * 1000);
        }}
      />
    </div>
  );
}
