import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ScanEye, Sparkles } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import { isEnded } from "../../../components/run/run-facts.ts";
import { isProblem } from "../../../data/client.ts";
import { assetQuery, runQuery } from "../../../data/queries/shared.queries.ts";
import { isRecord, type Slot } from "../../../data/saved/saved-entries.ts";
import { useSaved } from "../../../data/saved/use-saved.ts";
import { useCommands } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { useWasOpen } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { PopupPart } from "../../../ui/part.tsx";
import type { CreateForm } from "../form/use-create-form.ts";
import { type HelpKind, promptHelpAreas } from "./help-kind.ts";
import styles from "./prompt-help.module.css";

const PromptHelpDialog = lazyPart(
  () => import("./prompt-help-dialog.tsx").then(({ PromptHelpDialog }) => PromptHelpDialog),
  ...promptHelpAreas,
);

const icons = { improve: Sparkles, describe: ScanEye } as const;
const acts = { improve: "create.improve", describe: "create.describe" } as const;

type Asked = Readonly<Record<HelpKind, string | null>>;
/**
 * The help runs. They continue while the dialog is closed or the form is left, and their answers
 * cost money.
 */
const askedHelp: Slot<Asked> = {
  kind: "draft",
  name: "prompt-help",
  version: 1,
  empty: { improve: null, describe: null },
  parse: (saved) => {
    const isRun = (one: unknown) => one === null || typeof one === "string";
    return isRecord(saved) && isRun(saved.improve) && isRun(saved.describe)
      ? (saved as Asked)
      : null;
  },
};

type PromptHelpProps = { projectId: string; form: CreateForm };

/** Two acts on the prompt with any language model: improving it, or writing one from a picture. */
export function PromptHelp({ projectId, form }: PromptHelpProps) {
  const toast = useToast();
  const [open, setOpen] = useState<HelpKind | null>(null);
  const [shown, setShown] = useState<HelpKind>("improve");
  const { value: asked, change: setAsked } = useSaved(askedHelp, projectId);
  const latest = useRef(form);
  useEffect(() => {
    latest.current = form;
  });
  const prompt = typeof form.values.prompt === "string" ? form.values.prompt : "";
  const pictures = usePictures(form);
  const canDo = { improve: prompt.trim() !== "", describe: pictures.length > 0 };
  const begin = (kind: HelpKind) => {
    setShown(kind);
    setOpen(kind);
  };
  const kinds = ["improve", "describe"] as const;
  useCommands(
    kinds.flatMap((kind) =>
      canDo[kind] || asked[kind] !== null
        ? [
            {
              id: acts[kind],
              title: t(`create.help.${kind}`),
              group: t("screen.create"),
              icon: icons[kind],
              run: () => begin(kind),
            },
          ]
        : [],
    ),
  );
  const setPrompt = (next: string) =>
    latest.current.setValues({ ...latest.current.values, prompt: next });
  const accept = (next: string) => {
    setPrompt(next);
    const onAction = () => setPrompt(prompt);
    toast({ text: t("create.help.used"), action: { label: t("ui.undo"), onAction } });
  };
  return (
    <div className={styles.chips}>
      {kinds.map((kind) => (
        <HelpChip
          key={kind}
          kind={kind}
          runId={asked[kind]}
          refusal={canDo[kind] ? null : t(`create.help.${kind}.none`)}
          onPress={() => begin(kind)}
        />
      ))}
      {useWasOpen(open !== null) && (
        <PopupPart open={open !== null} onClose={() => setOpen(null)}>
          <PromptHelpDialog
            key={shown}
            projectId={projectId}
            kind={shown}
            open={open === shown}
            task={form.task}
            prompt={prompt}
            pictures={pictures}
            runId={asked[shown]}
            onAsked={(runId) => setAsked((before) => ({ ...before, [shown]: runId }))}
            onAccept={accept}
            onClose={() => setOpen(null)}
          />
        </PopupPart>
      )}
    </div>
  );
}

type HelpChipProps = {
  kind: HelpKind;
  runId: string | null;
  refusal: string | null;
  onPress: () => void;
};

/** An act's chip, which shows its progress while it runs. */
function HelpChip({ kind, runId, refusal, onPress }: HelpChipProps) {
  const { data, error } = useQuery(runQuery(runId));
  const run = data?.run;
  const state =
    runId === null || isProblem(error, "not_found")
      ? "idle"
      : run && isEnded(run)
        ? "ended"
        : "busy";
  const isRefused = state === "idle" && refusal !== null;
  return (
    <span data-tooltip={isRefused ? refusal : undefined}>
      <Chip
        icon={icons[kind]}
        selected={state === "ended"}
        disabled={isRefused}
        aria-busy={state === "busy" || undefined}
        onClick={onPress}
      >
        {state === "idle" ? t(`create.help.${kind}`) : t(`create.help.${state}`)}
      </Chip>
    </span>
  );
}

/** The form's pictures, then the one selected in the feed. */
function usePictures({ values }: CreateForm): string[] {
  const { selected } = useSearch({ strict: false });
  const detail = useQuery({ ...assetQuery(selected ?? ""), enabled: selected !== undefined }).data;
  const attached = assetsInInput(values).map(({ assetId }) => assetId);
  const isPicture = selected !== undefined && detail?.asset.kind === "image";
  return [...new Set([...attached, ...(isPicture ? [selected] : [])])];
}
