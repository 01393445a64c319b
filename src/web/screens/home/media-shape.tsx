import { ChevronDown, Proportions } from "lucide-react";
import { shapeFieldsOf } from "#domain/files/picture-shape.ts";
import { makesVariants } from "../../components/model/makes-variants.ts";
import { ActionPopover } from "../../frame/action-popover.tsx";
import { t } from "../../messages/t.ts";
import { Chip } from "../../ui/controls/chip.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import type { MediaShapeProps } from "./media-shape-form.tsx";

const MediaShapeForm = lazyPart(() =>
  import("./media-shape-form.tsx").then(({ MediaShapeForm }) => MediaShapeForm),
);

/** The number of results and their aspect ratio, where the model has these: "4 · 3:4". */
export function MediaShape(props: MediaShapeProps) {
  const { model, count, shape } = props;
  if (!makesVariants(model) && shapeFieldsOf(model.inputSchema).length === 0) return null;
  const chosen = shape ? `${count} · ${shape}` : String(count);
  return (
    <ActionPopover
      act="home.shape"
      icon={Proportions}
      title={t("home.shape")}
      isTitleHidden
      side="top"
      align="start"
      width={280}
      trigger={
        <Chip endIcon={ChevronDown} aria-label={t("home.shape.chosen", { chosen })}>
          {chosen}
        </Chip>
      }
    >
      <Part fallback={<SkeletonText lines={3} />}>
        <MediaShapeForm {...props} />
      </Part>
    </ActionPopover>
  );
}
