import { SlidersHorizontal } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Popover } from "../../../ui/overlays/popover.tsx";
import { Part } from "../../../ui/part.tsx";
import styles from "./settings-form.module.css";
import type { SettingsFormProps } from "./settings-form.tsx";

const SettingsForm = lazyPart(
  () => import("./settings-form.tsx").then(({ SettingsForm }) => SettingsForm),
  "tools",
);

/** The conversation's system prompt and the model's own settings, on a button of the composer. */
export function SettingsPopover({
  isChanged,
  ...form
}: SettingsFormProps & { isChanged: boolean }) {
  return (
    <Popover
      title={t("chat.settings")}
      side="top"
      align="start"
      width={360}
      trigger={
        <IconButton
          icon={SlidersHorizontal}
          label={t(isChanged ? "chat.settings.changed" : "chat.settings")}
          pressed={isChanged || undefined}
        />
      }
    >
      <Part
        fallback={
          <div className={styles.form} aria-busy="true">
            <SkeletonText lines={6} />
          </div>
        }
      >
        <SettingsForm {...form} />
      </Part>
    </Popover>
  );
}
