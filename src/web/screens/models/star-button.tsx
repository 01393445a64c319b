import { Star } from "lucide-react";
import type { Model } from "#contract/entities.ts";
import { useStarModel } from "../../data/queries/catalogue.queries.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { describeError } from "../../ui/describe-error.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./star-button.module.css";

/** Stars a model for this person. */
export function StarButton({
  model,
}: {
  model: Pick<Model, "connectionId" | "modelId" | "name" | "isStarred">;
}) {
  const star = useStarModel(model);
  const toast = useToast();
  const isStarred = star.isPending ? star.variables : model.isStarred;
  const toggle = () =>
    star.mutate(!isStarred, { onError: (error) => toast({ text: describeError(error).title }) });
  const at = useRowActions<HTMLButtonElement>(model.name, [
    {
      id: "star",
      title: t("models.star.act", { isStarred: String(isStarred) }),
      icon: Star,
      run: toggle,
    },
  ]);
  return (
    <IconButton
      ref={at}
      icon={Star}
      size="small"
      label={t("models.star", { name: model.name })}
      pressed={isStarred}
      className={styles.star}
      onClick={toggle}
    />
  );
}
