import { type RefObject, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { isHeicType } from "#domain/files/heic.ts";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { HeicView } from "./heic-view.tsx";
import type { ModelHandle } from "./model-view.tsx";
import { NoPreview } from "./no-preview.tsx";
import { SoundView } from "./sound-view.tsx";
import { TextView } from "./text-view.tsx";
import { VideoView } from "./video-view.tsx";

const ModelView = lazyPart(() => import("./model-view.tsx").then(({ ModelView }) => ModelView));

/** Shows an asset other than an image, by its kind. */
export function AssetView({
  asset,
  model,
}: {
  asset: Asset;
  /** Receives the handle that rotates a 3D model. */
  model: RefObject<ModelHandle | null>;
}) {
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt(attempt + 1);
  switch (asset.kind) {
    case "video":
      return <VideoView key={attempt} asset={asset} onRetry={retry} />;
    case "audio":
      return <SoundView key={attempt} asset={asset} onRetry={retry} />;
    case "text":
      return <TextView asset={asset} />;
    case "3d":
      return (
        <Part fallback={<Skeleton width="100%" height={240} />}>
          <ModelView asset={asset} handle={model} />
        </Part>
      );
    default:
      return isHeicType(asset.mime) ? <HeicView asset={asset} /> : <NoPreview asset={asset} />;
  }
}
