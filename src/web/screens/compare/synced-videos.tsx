import { Pause, Play, StepBack, StepForward } from "lucide-react";
import { type RefObject, useRef, useState } from "react";
import { assetName } from "../../components/asset/asset-name.ts";
import { fileUrl, posterUrl } from "../../components/asset/asset-urls.ts";
import type { ComparedEntry } from "../../components/compare/compare.queries.ts";
import { useFrames } from "../../components/viewer/kinds/use-frames.ts";
import { useCommands } from "../../frame/commands.tsx";
import { formatClip } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import styles from "./compare.module.css";
import { Result } from "./result.tsx";

type SyncedVideosProps = {
  entries: readonly ComparedEntry[];
  best: readonly number[];
  isRevealed: boolean;
  onBest: ((place: number) => void) | null;
};

/** Videos drift apart while they load; beyond this drift they are synchronized again. */
const driftS = 0.15;

/** Videos side by side with one set of controls. The first plays its sound. */
export function SyncedVideos({ entries, ...props }: SyncedVideosProps) {
  const films = useRef(new Map<number, HTMLVideoElement>());
  const leadFilm = useRef<HTMLVideoElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [measured, setMeasured] = useState<Readonly<Record<number, number>>>({});
  const [failed, setFailed] = useState<readonly number[]>([]);
  const playable = entries.filter(
    ({ asset, position }) => asset?.kind === "video" && !failed.includes(position),
  );
  const lasts = ({ asset, position }: ComparedEntry) =>
    measured[position] ?? (asset?.durationMs ?? 0) / 1_000;
  const seconds = Math.max(0, ...playable.map(lasts));
  const all = () => [...films.current.values()];
  /** A film at its end would start again from its beginning. */
  const play = (from: number) => {
    // Pausing before playback starts rejects the play, which isn't an error.
    for (const film of all()) if (!(film.duration <= from)) void film.play().catch(() => undefined);
  };
  const seek = (to: number) => {
    setAt(to);
    for (const film of all()) film.currentTime = Math.min(to, film.duration || to);
  };
  const pause = () => {
    for (const film of all()) film.pause();
    setPlaying(false);
  };
  const toggle = () => {
    if (isPlaying) {
      pause();
      return seek(leadFilm.current?.currentTime ?? at);
    }
    const from = at >= seconds || leadFilm.current?.ended ? 0 : at;
    seek(from);
    play(from);
    setPlaying(true);
  };
  const jump = (to: number) => {
    seek(to);
    // A film that had ended is paused.
    if (isPlaying) play(to);
  };
  const follow = (lead: HTMLVideoElement) => {
    setAt(lead.currentTime);
    for (const film of all())
      if (film !== lead && !film.ended && Math.abs(film.currentTime - lead.currentTime) > driftS)
        film.currentTime = Math.min(lead.currentTime, film.duration || lead.currentTime);
  };
  useCommands(
    playable.length === 0
      ? []
      : [
          {
            id: "compare.play",
            title: t(isPlaying ? "compare.pause" : "compare.play"),
            group: t("screen.compare"),
            shortcut: "space",
            run: toggle,
          },
        ],
  );
  // The longest video leads, so that the others wait at their end.
  const [first] = playable;
  const lead = playable.reduce(
    (longest, entry) => (longest && lasts(entry) <= lasts(longest) ? longest : entry),
    first,
  );
  return (
    <>
      <ul className={styles.grid} data-count={entries.length}>
        {entries.map((entry, index) => (
          <Result key={entry.position} {...props} entry={entry} place={index}>
            {entry.asset?.kind === "video" && failed.includes(entry.position) ? (
              <div className={styles.failed} role="alert">
                <p>{t("compare.film.failed")}</p>
                <a
                  className={buttonClass({ size: "small" })}
                  href={fileUrl(entry.asset.id)}
                  target="_blank"
                  rel="noreferrer"
                >
                  {t("compare.open")}
                </a>
              </div>
            ) : entry.asset?.kind === "video" ? (
              <video
                ref={(film) => {
                  if (film) films.current.set(entry.position, film);
                  else films.current.delete(entry.position);
                  if (entry === lead) leadFilm.current = film;
                }}
                className={styles.film}
                width={entry.asset.width ?? undefined}
                height={entry.asset.height ?? undefined}
                src={fileUrl(entry.asset.id)}
                poster={posterUrl(entry.asset)}
                aria-label={assetName(entry.asset)}
                muted={index > 0}
                playsInline
                preload="auto"
                // A file may turn out shorter or longer than it said.
                onDurationChange={({ currentTarget: { duration } }) => {
                  if (Number.isFinite(duration))
                    setMeasured((before) => ({ ...before, [entry.position]: duration }));
                }}
                onError={() => {
                  setFailed((before) => [...before, entry.position]);
                  if (playable.length <= 1) setPlaying(false);
                }}
                onTimeUpdate={(event) => {
                  if (entry === lead && isPlaying) follow(event.currentTarget);
                }}
                // A media key or a headset pauses a single video. A hidden tab's are resumed by the
                // browser.
                onPause={({ currentTarget: { paused, ended } }) => {
                  if (isPlaying && paused && !ended && !document.hidden) pause();
                }}
                onEnded={() => {
                  if (entry === lead) setPlaying(false);
                }}
              />
            ) : undefined}
          </Result>
        ))}
      </ul>
      <div className={styles.controls}>
        <IconButton
          icon={isPlaying ? Pause : Play}
          variant="bordered"
          label={t(isPlaying ? "compare.pause" : "compare.play")}
          shortcut="space"
          disabled={playable.length === 0}
          onClick={toggle}
        />
        <FrameSteps
          key={lead?.position}
          film={leadFilm}
          isDisabled={playable.length === 0}
          onPause={pause}
          onSeek={(ms) => seek(Math.min(Math.max(0, ms / 1_000), seconds))}
        />
        <input
          type="range"
          className={styles.range}
          min={0}
          max={seconds || 1}
          step={0.04}
          value={Math.min(at, seconds || 1)}
          aria-label={t("compare.seek")}
          aria-valuetext={formatClip(at * 1_000)}
          disabled={playable.length === 0}
          onChange={(event) => jump(Number(event.target.value))}
        />
        <span className={styles.clock}>
          {formatClip(at * 1_000)} / {formatClip(seconds * 1_000)}
        </span>
      </div>
    </>
  );
}

type FrameStepsProps = {
  /** The video whose frames count. The key changes with it. */
  film: RefObject<HTMLVideoElement | null>;
  isDisabled: boolean;
  onPause: () => void;
  onSeek: (ms: number) => void;
};

/** Steps all videos to the previous or next frame of the one that leads. */
function FrameSteps({ film, isDisabled, onPause, onSeek }: FrameStepsProps) {
  const stepFilm = useFrames(film, onSeek);
  const step = (by: -1 | 1) => {
    onPause();
    stepFilm(by);
  };
  useCommands(
    isDisabled
      ? []
      : [
          {
            id: "compare.frame.previous",
            title: t("compare.frame.previous"),
            group: t("screen.compare"),
            shortcut: ",",
            repeats: true,
            run: () => step(-1),
          },
          {
            id: "compare.frame.next",
            title: t("compare.frame.next"),
            group: t("screen.compare"),
            shortcut: ".",
            repeats: true,
            run: () => step(1),
          },
        ],
  );
  return (
    <>
      <IconButton
        icon={StepBack}
        label={t("compare.frame.previous")}
        shortcut=","
        disabled={isDisabled}
        onClick={() => step(-1)}
      />
      <IconButton
        icon={StepForward}
        label={t("compare.frame.next")}
        shortcut="."
        disabled={isDisabled}
        onClick={() => step(1)}
      />
    </>
  );
}
