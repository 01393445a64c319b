import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { JsonObject } from "#contract/json.ts";
import { fileUrl } from "../../components/asset/asset-urls.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import type { Drawing } from "./drawing/drawing.ts";
import type { DrawSettings } from "./use-settings.ts";

/**
 * Applies the address once: ?from=<assetId> is a pinned frame, whose model, settings and drawing
 * are restored. Then removes the parameter, so that a reload overwrites nothing.
 */
export function useRecipe(
  settings: DrawSettings,
  drawing: Drawing,
  isRestored: boolean,
  onLoad: (values: JsonObject) => void,
): void {
  const { from } = useSearch({ strict: false });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const taken = useRef<string>(undefined);
  useEffect(() => {
    if (!from || !isRestored || taken.current === from) return;
    taken.current = from;
    const follow = async () => {
      const { run, sources } = await queryClient.fetchQuery(assetQuery(from));
      if (run) {
        const kept = Object.entries(run.input).filter(
          ([, value]) => !(typeof value === "string" && value.startsWith("asset:")),
        );
        const values = Object.fromEntries(kept) as JsonObject;
        onLoad(values);
        settings.load(toModelRef(run), values);
      }
      const [source] = sources;
      if (source)
        drawing.putPicture(
          await createImageBitmap(await (await fetch(fileUrl(source.id))).blob()),
          true,
        );
    };
    follow()
      .catch(showError)
      .finally(
        () => void navigate({ to: ".", search: ({ from: _, ...rest }) => rest, replace: true }),
      );
  });
}
