import { useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ListFilter, ListPlus, RotateCcw, WandSparkles } from "lucide-react";
import { useEffect, useState } from "react";
import type { Asset, ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { isMadeByForm, type Task } from "#contract/tasks.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { errorPlace, takesFile, withFile } from "../../components/schema-form/field-facts.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { readDraft } from "../../data/saved/create-draft.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useActions } from "../../frame/action-button.tsx";
import { useCommands } from "../../frame/commands.tsx";
import { Screen } from "../../frame/screen.tsx";
import type { PhoneTab } from "../../frame/screen-props.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Chip } from "../../ui/controls/chip.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { useWasOpen } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { Part, PopupPart } from "../../ui/part.tsx";
import { useWidth } from "../../ui/use-width.ts";
import styles from "./create.module.css";
import { DropUploads } from "./drop-uploads.tsx";
import { Feed } from "./feed/feed.tsx";
import { useFeedActions } from "./feed/feed-actions.ts";
import type { Shown } from "./feed/shown-batches.ts";
import { CreateForm } from "./form/create-form.tsx";
import { MakeButton } from "./form/make-button.tsx";
import { useCreateForm } from "./form/use-create-form.ts";
import { useMake } from "./form/use-make.ts";
import { recipeOf } from "./recipe-of.ts";
import { useIntents } from "./use-intents.ts";

// Loads when a selection or a file opens them.
const AssetInspector = lazyPart(() =>
  import("../../components/asset/inspector/asset-inspector.tsx").then(
    ({ AssetInspector }) => AssetInspector,
  ),
);
const RunInspector = lazyPart(() =>
  import("../../components/run/detail/run-inspector.tsx").then(({ RunInspector }) => RunInspector),
);
const UseAssetDialog = lazyPart(() =>
  import("./pick/use-asset-dialog.tsx").then(({ UseAssetDialog }) => UseAssetDialog),
);

const WordListsDialog = lazyPart(() =>
  import("./words/word-lists-dialog.tsx").then(({ WordListsDialog }) => WordListsDialog),
);

const filters = ["all", "image", "video", "audio"] as const satisfies readonly Shown[];

export function CreateScreen() {
  const { project } = useSession();
  // Drafts, models and files belong to a project.
  return <Studio key={project.id} projectId={project.id} mayEdit={project.role !== "viewer"} />;
}

/** The form at the left, the results feed at the right. */
function Studio({ projectId, mayEdit }: { projectId: string; mayEdit: boolean }) {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const toast = useToast();
  const isPhone = useWidth() === "phone";
  const [tab, setTab] = useState<PhoneTab>("pane");
  const form = useCreateForm(user, projectId);
  const [remixOf, setRemixOf] = useState<string>();
  const making = useMake(projectId, form, remixOf);
  /**
   * A count, so that every refusal focuses the first invalid field, in an effect after the marks
   * are drawn.
   */
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const [offered, setOffered] = useState<Asset | null>(null);
  /** The open word list's name; empty for the overview. */
  const [wordList, setWordList] = useSearchValue("words");
  const areWordsOpen = wordList !== undefined;
  // Kept while the dialog closes.
  const [shownList, setShownList] = useState(wordList);
  if (areWordsOpen && wordList !== shownList) setShownList(wordList);
  const wereWordsOpen = useWasOpen(areWordsOpen);
  const wasOffered = useWasOpen(offered !== null);
  /**
   * A file for a form that is still loading. If the form has no field for it, `isGiven` asks what
   * to do with it.
   */
  const [waiting, setWaiting] = useState<{ asset: Asset; isGiven: boolean } | null>(null);
  useEffect(() => {
    if (!waiting || !form.isReady) return;
    setWaiting(null);
    const values = withFile(form.schema, form.values, waiting.asset);
    if (values) form.setValues(values);
    else if (waiting.isGiven) setOffered(waiting.asset);
  });
  const [show, setShow] = useSearchValue("show");
  const shown = filters.find((name) => name === show) ?? "all";
  const { selected, run } = useSearch({ strict: false });

  const undoLoad = (bringBack: () => void) => ({
    label: t("ui.undo"),
    onAction: () => {
      bringBack();
      setRemixOf(undefined);
      making.setErrors({});
    },
  });
  const loadRecipe = (made: Run) => {
    const bringBack = form.load(recipeOf(made, { keepsSeed: true }));
    toast({ text: t("create.recipeLoaded"), action: undoLoad(bringBack) });
    setRemixOf(made.id);
    const field = made.error?.field && errorPlace(made.input as JsonObject, made.error.field);
    making.setErrors(field && made.error ? { [field]: made.error.message } : {});
    setTab("pane");
  };
  /** From Home: nobody chose the seed there, and the next result should differ. */
  const loadMade = (made: Run) => {
    const bringBack = form.load(recipeOf(made, { keepsSeed: false }));
    toast({ text: t("create.madeLoaded"), action: undoLoad(bringBack) });
    setTab("work");
  };
  /**
   * The form follows the selection. The feed has already loaded its model, unless the model is
   * unavailable.
   */
  const follow = (made: Run) => {
    const { queryKey } = modelQuery(projectId, toModelRef(made));
    if (!mayEdit || !isMadeByForm(made.task) || !queryClient.getQueryData(queryKey)) return;
    const bringBack = form.load(recipeOf(made, { keepsSeed: false }));
    if (form.isTyped) toast({ text: t("create.recipeLoaded"), action: undoLoad(bringBack) });
    setRemixOf(made.id);
    making.setErrors({});
  };
  const restore = () => {
    const undo = form.restore();
    const onAction = () => {
      undo();
      setRemixOf(remixOf);
    };
    setRemixOf(undefined);
    making.setErrors({});
    toast({ text: t("create.recipe.restored"), action: { label: t("ui.undo"), onAction } });
  };
  const openWith = async (task: Task, ref: ModelRef, asset: Asset | null, example?: JsonObject) => {
    const { inputSchema } = await queryClient.fetchQuery(modelQuery(projectId, ref));
    const values = readDraft(user.id, projectId, ref);
    // Uses only the model's own draft, never the previous form's values: whether those had loaded
    // is chance, and sending costs money.
    form.choose(task, ref, {
      values: example ?? (asset && withFile(inputSchema, values, asset)) ?? values,
    });
    setOffered(null);
    if (example) {
      const onAction = () => form.choose(task, ref, { values });
      toast({
        text: t("create.exampleLoaded"),
        ...(Object.keys(values).length > 0 && { action: { label: t("ui.undo"), onAction } }),
      });
    }
  };
  /** The tool's form takes the selected result. */
  const changeTask = (task: Task) => {
    form.setTask(task);
    const detail = selected ? queryClient.getQueryData(assetQuery(selected).queryKey) : undefined;
    if (detail) setWaiting({ asset: detail.asset, isGiven: false });
  };
  const actions = useFeedActions(loadRecipe, follow);
  const isFollowing = useIntents(projectId, {
    onRemix: loadRecipe,
    onMade: loadMade,
    onTask: (task, asset) => {
      form.setTask(task);
      setWaiting(asset && { asset, isGiven: true });
    },
    onModel: openWith,
    onAsset: setOffered,
  });
  // While the requested form loads, the previous one must be neither shown nor sent.
  const isReady = form.isReady && !isFollowing && waiting === null;
  const shownForm = { ...form, isReady };
  const make = () => {
    if (!isReady || !form.isCounted || making.isMaking || !mayEdit) return;
    void making.make().then((isMade) => {
      if (isMade) {
        setRemixOf(undefined);
        if (isPhone)
          toast({
            text: t("create.started"),
            action: { label: t("create.started.show"), onAction: () => setTab("work") },
          });
      } else setRefusals((count) => count + 1);
    });
  };
  const clear = () => {
    const restore = form.clear();
    setRemixOf(undefined);
    toast({
      text: t("create.cleared"),
      action: { label: t("ui.undo"), onAction: restore },
    });
  };
  const showOnly = (name: Shown) => setShow(name === "all" ? null : name);
  useCommands([
    {
      id: "create.make",
      title: t("create.make.command"),
      group: t("screen.create"),
      icon: WandSparkles,
      shortcut: "mod+enter",
      run: make,
    },
    {
      id: "create.words",
      title: t("create.words"),
      group: t("screen.create"),
      icon: ListPlus,
      run: () => setWordList(""),
    },
    ...filters
      .filter((name) => name !== shown)
      .map((name) => ({
        id: `create.show.${name}`,
        title: t("create.show", { name: t(`create.show.${name}`) }),
        group: t("screen.create"),
        icon: ListFilter,
        run: () => showOnly(name),
      })),
  ]);
  useActions(
    isReady ? [{ id: "create.clear", title: t("create.clear"), icon: RotateCcw, run: clear }] : [],
  );
  const canTry = mayEdit && isReady && "prompt" in propertiesOf(form.schema) && !form.values.prompt;
  const example = t("create.empty.example");
  const tryIt = canTry && (
    <Button onClick={() => form.setValues({ ...form.values, prompt: example })}>
      {t("create.empty.try", { prompt: example })}
    </Button>
  );

  return (
    <div className={styles.page}>
      <Screen
        title={t("screen.create")}
        pane={{
          width: "form",
          actions: (
            <>
              <IconButton
                icon={ListPlus}
                label={t("create.words")}
                onClick={() => setWordList("")}
              />
              <IconButton
                icon={RotateCcw}
                label={t("create.clear")}
                disabled={!isReady}
                onClick={clear}
              />
            </>
          ),
          children: (
            <CreateForm
              projectId={projectId}
              form={shownForm}
              onRestore={restore}
              making={making}
              onTask={changeTask}
              isDisabled={!mayEdit}
            />
          ),
          footer: <MakeButton form={shownForm} making={making} mayEdit={mayEdit} onMake={make} />,
          phone: "tab",
          phoneTab: t("create.form"),
        }}
        workTab={t("create.results")}
        tabState={[tab, setTab]}
        tools={filters.map((name) => (
          <Chip key={name} selected={shown === name} onClick={() => showOnly(name)}>
            {t(`create.show.${name}`)}
          </Chip>
        ))}
        inspector={
          selected || run
            ? {
                title: t("create.inspector"),
                isOpen: true,
                onOpenChange: (open) => open || actions.selectNothing(),
                children: (
                  <Part fallback={<SkeletonText lines={5} />}>
                    {selected ? (
                      <AssetInspector assetId={selected} withPreview />
                    ) : (
                      run && <RunInspector key={run} runId={run} />
                    )}
                  </Part>
                ),
              }
            : undefined
        }
        isSelfScrolling
      >
        <Feed
          projectId={projectId}
          shown={shown}
          actions={actions}
          selection={{ assetId: selected, runId: run }}
          emptyAction={tryIt}
        />
      </Screen>
      {wereWordsOpen && (
        <PopupPart open={areWordsOpen} onClose={() => setWordList(null)}>
          <WordListsDialog
            projectId={projectId}
            key={shownList}
            open={areWordsOpen}
            first={shownList || null}
            mayEdit={mayEdit}
            onClose={() => setWordList(null)}
          />
        </PopupPart>
      )}
      <DropUploads projectId={projectId} isEnabled={mayEdit} onUploaded={setOffered} />
      {wasOffered && (
        <PopupPart open={offered !== null} onClose={() => setOffered(null)}>
          <UseAssetDialog
            projectId={projectId}
            asset={offered}
            onClose={() => setOffered(null)}
            onUseHere={
              offered && form.isReady && takesFile(form.schema, offered.kind)
                ? () => {
                    const values = withFile(form.schema, form.values, offered);
                    if (values) form.setValues(values);
                    setOffered(null);
                  }
                : undefined
            }
            onPick={(model, task) => void openWith(task, toModelRef(model), offered)}
          />
        </PopupPart>
      )}
    </div>
  );
}
