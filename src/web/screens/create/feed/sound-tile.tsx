import { Pause, Play } from "lucide-react";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import styles from "./tiles.module.css";
import { Waveform } from "./waveform.tsx";

/** A sound: its waveform is its player. The file is asked for when it is first played. */
export function SoundTile({
  asset,
  isSelected,
  onSelect,
}: {
  asset: Asset;
  isSelected?: boolean;
  onSelect?: () => void;
}) {
  const name = assetName(asset);
  return (
    <div className={styles.sound} data-selected={isSelected || undefined}>
      {onSelect && (
        <button type="button" className={styles.soundTitle} onClick={onSelect}>
          {name}
        </button>
      )}
      <SoundPlayer asset={asset} />
    </div>
  );
}

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
    // A press before it has begun to sound takes the first one back, which is no error.
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
        label={t(isPlaying ? "create.sound.pause" : "create.sound.play", { name })}
        onClick={toggle}
      />
      <Waveform asset={asset} atMs={atMs} lengthMs={lengthMs} onSeek={seek} />
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
