import { useQuery, useQueryClient } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { ServerProblem } from "../../../data/client.ts";
import { fieldError } from "../../../data/field-problem.ts";
import {
  usePutWordList,
  useRemoveWordList,
  wordListQuery,
} from "../../../data/queries/create.queries.ts";
import { useTabDraft } from "../../../data/saved/tab-draft.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./words.module.css";

type WordListFormProps = {
  projectId: string;
  /** Empty for a new list. */
  name: string;
  mayEdit: boolean;
  onDone: () => void;
};
type Listed = { items: string[]; updatedAt: number };

/**
 * A list's items, one per line. Typed text survives closing the dialog and a reload, until it is
 * saved.
 */
export function WordListForm(props: WordListFormProps) {
  const { projectId, name } = props;
  const { data, error, refetch } = useQuery({
    ...wordListQuery(projectId, name),
    enabled: name !== "",
  });
  if (name === "") return <Editor {...props} list={null} />;
  if (error && !data) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  return data ? <Editor {...props} list={data} /> : <SkeletonText lines={6} />;
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

function Editor({
  projectId,
  name: known,
  mayEdit,
  onDone,
  list,
}: WordListFormProps & { list: Listed | null }) {
  const [typed, setTyped, clear] = useTabDraft(`words:${projectId}:${known}`, {
    name: known,
    text: list?.items.join("\n") ?? "",
    /**
     * The list's version when it was opened, so that another person's later change isn't
     * overwritten.
     */
    of: list ? String(list.updatedAt) : "",
  });
  const put = usePutWordList(projectId);
  const remove = useRemoveWordList(projectId);
  const toast = useToast();
  const showError = useErrorToast();
  const queryClient = useQueryClient();
  const items = linesOf(typed.text);
  const isChanged = put.error instanceof ServerProblem && put.error.body.code === "conflict";
  const save = (replaces: number | null | undefined) => {
    const name = typed.name.trim();
    // Promises instead of `mutate` options, which are skipped once the dialog is closed.
    put.mutateAsync({ name, items, replaces }).then(
      () => {
        clear();
        toast({ text: t("create.words.saved", { name }) });
        onDone();
      },
      // The form shows the error and keeps the typed text.
      () => undefined,
    );
  };
  const restore = () =>
    void put
      .mutateAsync({ name: known, items: list?.items ?? [], replaces: null })
      .catch(showError);
  const drop = () =>
    void remove.mutateAsync(known).then(() => {
      clear();
      queryClient.removeQueries({ queryKey: wordListQuery(projectId, known).queryKey });
      toast({
        text: t("create.words.removed", { name: known }),
        action: { label: t("ui.undo"), onAction: restore },
      });
      onDone();
    }, showError);
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save(typed.of === "" ? null : Number(typed.of));
      }}
    >
      {known === "" && (
        <TextField
          label={t("create.words.name")}
          hint={t("create.words.name.hint", { name: typed.name.trim() || "colors" })}
          error={fieldError(put.error, "name")}
          value={typed.name}
          onValueChange={(name) => setTyped({ name })}
          maxLength={60}
          autoComplete="off"
          autoFocus
        />
      )}
      <TextArea
        label={t("create.words.text")}
        hint={t("create.words.text.hint", { most: formatCount(limits.wordListItems) })}
        aside={formatCount(items.length)}
        error={fieldError(put.error, "items")}
        value={typed.text}
        onValueChange={(text) => setTyped({ text })}
        readOnly={!mayEdit}
        minRows={8}
        maxRows={16}
      />
      <FormError error={put.error} fields={["name", "items"]} safe={t("create.words.safe")} />
      <div className={styles.buttons}>
        {mayEdit && (
          <Button
            type="submit"
            variant="primary"
            busy={put.isPending}
            disabled={typed.name.trim() === "" || items.length === 0}
          >
            {t("create.words.save")}
          </Button>
        )}
        {isChanged && <Button onClick={() => save(undefined)}>{t("create.words.replace")}</Button>}
        <Button onClick={onDone}>{t("create.words.back")}</Button>
        {mayEdit && known !== "" && (
          <Button variant="danger" busy={remove.isPending} onClick={drop}>
            {t("create.words.remove")}
          </Button>
        )}
      </div>
    </form>
  );
}
