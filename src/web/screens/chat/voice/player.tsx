import { Pause, Play, SkipBack, SkipForward } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { useStored } from "../../../data/saved/use-stored.ts";
import { formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Select } from "../../../ui/controls/select.tsx";
import styles from "./read-aloud.module.css";

const rates = [0.75, 1, 1.25, 1.5, 1.75, 2];
/** Only one player plays at a time. */
let heard: HTMLAudioElement | null = null;

type PlayerProps = {
  assetId: string;
  /** The part's index, and the number of parts. */
  place: number;
  count: number;
  onPlace: (place: number) => void;
  choices: ReactNode;
};

/** Plays, pauses, seeks, sets the speed, and continues with the next part. */
export function Player({ assetId, place, count, onPlace, choices }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  const [rate, setRate] = useStored("reading-rate", 1);
  const toggle = () => {
    if (!audio.current) return;
    if (audio.current.paused) void audio.current.play().catch(() => undefined);
    else audio.current.pause();
  };
  const read = ({ currentTarget }: SyntheticEvent<HTMLAudioElement>) => {
    setAt(currentTarget.currentTime);
    // A stream without a duration in its header has one only at its end.
    setLength(
      Number.isFinite(currentTarget.duration)
        ? currentTarget.duration
        : Math.max(length, currentTarget.currentTime),
    );
  };
  const choose = (next: number) => {
    setRate(next);
    if (audio.current) audio.current.playbackRate = next;
  };
  const clock = `${formatClip(Math.floor(at) * 1_000)} / ${formatClip(Math.floor(length) * 1_000)}`;
  if (isBroken)
    return (
      <div className={styles.line} role="alert">
        <span>{t("voice.unplayable")}</span>
        <a href={fileUrl(assetId, { download: true })}>{t("voice.download")}</a>
        {choices}
      </div>
    );
  return (
    <div className={styles.line}>
      {/* biome-ignore lint/a11y/useMediaCaption: the text it reads stands above it */}
      <audio
        ref={audio}
        src={fileUrl(assetId)}
        autoPlay
        onPlay={({ currentTarget }) => {
          if (heard !== currentTarget) heard?.pause();
          heard = currentTarget;
          setPlaying(true);
        }}
        onPause={() => setPlaying(false)}
        onLoadedMetadata={(event) => {
          event.currentTarget.playbackRate = rate;
          read(event);
        }}
        onTimeUpdate={read}
        onEnded={() => place + 1 < count && onPlace(place + 1)}
        onError={() => setBroken(true)}
      />
      <span className={styles.buttons}>
        {count > 1 && (
          <IconButton
            size="small"
            icon={SkipBack}
            label={t("voice.before")}
            disabled={place === 0}
            onClick={() => onPlace(place - 1)}
          />
        )}
        <IconButton
          icon={isPlaying ? Pause : Play}
          label={t(isPlaying ? "voice.pause" : "voice.play")}
          onClick={toggle}
        />
        {count > 1 && (
          <IconButton
            size="small"
            icon={SkipForward}
            label={t("voice.after")}
            disabled={place + 1 === count}
            onClick={() => onPlace(place + 1)}
          />
        )}
      </span>
      <input
        type="range"
        className={styles.seek}
        aria-label={t("voice.seek")}
        aria-valuetext={clock}
        min={0}
        max={Math.max(length, 0.1)}
        step={0.1}
        value={Math.min(at, length)}
        onChange={({ target }) => {
          if (audio.current) audio.current.currentTime = target.valueAsNumber;
          setAt(target.valueAsNumber);
        }}
      />
      <span className={styles.time}>{clock}</span>
      {count > 1 && (
        <span className={styles.time}>{t("voice.part", { place: place + 1, count })}</span>
      )}
      <Select
        className={styles.voice}
        aria-label={t("voice.rate")}
        value={String(rate)}
        options={rates.map((value) => ({
          value: String(value),
          label: t("voice.rate.times", { rate: value }),
        }))}
        onValueChange={(value) => choose(Number(value))}
      />
      {choices}
    </div>
  );
}
