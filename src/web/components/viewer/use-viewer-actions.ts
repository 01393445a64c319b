import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Brush,
  ClipboardCopy,
  Columns2,
  CornerDownRight,
  Download,
  Film,
  FolderInput,
  FolderPlus,
  type LucideIcon,
  MessageCircle,
  Paintbrush,
  Repeat,
  ScanSearch,
  Shuffle,
  Tag,
  Trash2,
} from "lucide-react";
import type { Asset, Run } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { toModelPath } from "../../data/model-ref.ts";
import { makeAgain } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useCopyText } from "../../ui/overlays/use-copy-text.ts";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { fileUrl } from "../asset/asset-urls.ts";
import { canFindSimilar } from "../asset/can-find-similar.ts";
import { type RemakeOffer, useRemakeOffers } from "../asset/inspector/use-remake.ts";
import { useMayEdit } from "../asset/use-may-edit.ts";
import { kindOfAsset } from "../composer/attachment-kinds.ts";
import { attachToNewChat } from "../composer/new-chat-draft.ts";
import { useEditorAddress } from "../editor/editor-address.ts";
import { useAnimation } from "./use-animation.ts";

/** An act on an asset, the same in the viewer and on its tile. */
export type ViewerAction = {
  id:
    | "again"
    | "vary"
    | "edit"
    | "draw"
    | "use"
    | "animate"
    | "chat"
    | "compare"
    | "tag"
    | "collect"
    | "move"
    | "similar"
    | "download"
    | "prompt"
    | "trash";
  label: string;
  icon: LucideIcon;
  /** The act's price, shown on every button. */
  price?: string;
  shortcut: string;
  /** The reason that the act is unavailable now. */
  refusal?: string;
  /** What to expect of the result. */
  note?: string;
  isDisabled?: boolean;
  run: () => void;
};

/**
 * The acts on an asset and its run that the person may use. A trashed asset has none. While
 * `areComing`, a price is missing, or an act that isn't always offered.
 */
export function useViewerActions(
  asset: Asset | undefined,
  run: Run | null,
  {
    onTag,
    onCollect,
    onMove,
    onTrash,
  }: {
    onTag?: () => void;
    onCollect?: () => void;
    onMove?: () => void;
    onTrash?: () => void;
  } = {},
): { acts: ViewerAction[]; areComing: boolean } {
  const { user } = useSession();
  const mayEdit = useMayEdit(asset);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const toast = useToast();
  const copyText = useCopyText();
  const showError = useErrorToast();
  const isPicture = asset?.kind === "image";
  const offers = useRemakeOffers(mayEdit ? run : null);
  const editor = useEditorAddress();
  const film = useAnimation(mayEdit && isPicture ? asset : undefined);
  const making = useMutation({
    mutationFn: ({ kind, of }: { kind: "again" | "vary"; of: Run }) =>
      makeAgain(queryClient, of, kind),
    onError: showError,
    onSuccess: ({ runs: [first] }, { kind }) => {
      const onAction = () =>
        void navigate({ to: "/activity/$runId", params: { runId: first?.id ?? "" } });
      toast({
        text: t(kind === "vary" ? "asset.vary.running" : "asset.again.running"),
        action: first && { label: t("asset.again.run"), onAction },
      });
    },
  });
  if (!asset || asset.trashedAt !== null) return { acts: [], areComing: false };
  const toCreate = (search: { asset: string; task?: string; model?: string }) =>
    void navigate({ to: "/create", search });
  const remake = (
    { kind, price, refusal, note }: RemakeOffer,
    look: Pick<ViewerAction, "label" | "icon" | "shortcut">,
  ): ViewerAction[] =>
    run && isMadeByForm(run.task)
      ? [
          {
            ...look,
            id: kind,
            price: price ?? undefined,
            refusal: refusal ?? undefined,
            note: note ?? undefined,
            isDisabled: price === null || refusal !== null || making.isPending,
            run: () => making.mutate({ kind, of: run }),
          },
        ]
      : [];
  const when = (isOffered: boolean, act: ViewerAction): ViewerAction[] => (isOffered ? [act] : []);
  const acts: ViewerAction[] = [
    ...(mayEdit
      ? [
          ...remake(offers.again, { label: t("run.makeAgain"), icon: Repeat, shortcut: "m" }),
          ...remake(offers.vary, { label: t("viewer.vary"), icon: Shuffle, shortcut: "v" }),
          ...when(run?.task === "live", {
            id: "draw",
            label: t("asset.drawOn"),
            icon: Brush,
            shortcut: "b",
            run: () => void navigate({ to: "/draw", search: { from: asset.id } }),
          }),
          ...when(isPicture, {
            id: "edit",
            label: t("viewer.edit"),
            icon: Paintbrush,
            shortcut: "e",
            run: () => editor.open(asset.id),
          }),
          {
            id: "use" as const,
            label: t("asset.use"),
            icon: CornerDownRight,
            shortcut: "n",
            run: () => toCreate({ asset: asset.id }),
          },
          ...when(film.model !== null, {
            id: "animate",
            label: t("viewer.animate"),
            icon: Film,
            shortcut: "a",
            price: film.price ?? undefined,
            run: () =>
              film.model &&
              toCreate({ asset: asset.id, task: "video", model: toModelPath(film.model) }),
          }),
          ...when(kindOfAsset(asset) !== null, {
            id: "chat",
            label: t("asset.chat"),
            icon: MessageCircle,
            shortcut: "h",
            run: () => {
              attachToNewChat(user.id, asset);
              void navigate({ to: "/chat" });
            },
          }),
          // A moved asset's run is in the other project and is compared there.
          ...when(run !== null, {
            id: "compare",
            label: t("compare.act.with"),
            icon: Columns2,
            shortcut: "w",
            run: () => void navigate({ to: "/compare", search: { with: asset.id } }),
          }),
          ...(onTag
            ? [{ id: "tag" as const, label: t("tags.act"), icon: Tag, shortcut: "t", run: onTag }]
            : []),
          ...(onCollect
            ? [
                {
                  id: "collect" as const,
                  label: t("collections.act"),
                  icon: FolderPlus,
                  shortcut: "c",
                  run: onCollect,
                },
              ]
            : []),
          ...(onMove
            ? [
                {
                  id: "move" as const,
                  label: t("move.act"),
                  icon: FolderInput,
                  shortcut: "shift+m",
                  run: onMove,
                },
              ]
            : []),
        ]
      : []),
    ...when(canFindSimilar(asset), {
      id: "similar",
      label: t("asset.similar"),
      icon: ScanSearch,
      shortcut: "s",
      run: () => void navigate({ to: "/library", search: { similar: asset.id } }),
    }),
    {
      id: "download",
      label: t("asset.download"),
      icon: Download,
      shortcut: "d",
      run: () => download(asset.id),
    },
    ...when(asset.promptText !== "", {
      id: "prompt",
      label: t("run.prompt.copy"),
      icon: ClipboardCopy,
      shortcut: "shift+c",
      run: () =>
        void copyText(asset.promptText).then(
          (isCopied) => isCopied && toast({ text: t("viewer.prompt.copied") }),
        ),
    }),
    ...(mayEdit && onTrash
      ? [
          {
            id: "trash" as const,
            label: t("asset.trash"),
            icon: Trash2,
            shortcut: "delete",
            run: onTrash,
          },
        ]
      : []),
  ];
  return { acts, areComing: offers.isComing || film.isComing };
}

/** Downloads a file through a link, as browsers require. */
function download(assetId: string): void {
  const link = document.createElement("a");
  link.href = fileUrl(assetId, { download: true });
  link.download = "";
  link.click();
}
