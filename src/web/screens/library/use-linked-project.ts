import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useState } from "react";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { useToast } from "../../ui/overlays/toast.tsx";

/**
 * Keeps the address and the current project together: the library names its project, so that
 * everybody who opens its link sees the same files. Opening it switches to its project. The link of
 * one item needs no project.
 * @returns `closed` for a link to a project that the person isn't in, and `opening` before a switch
 */
export function useLinkedProject(): "here" | "opening" | "closed" {
  const { projects, project, setProject } = useSession();
  const { project: named } = useSearch({ strict: false });
  const { assetId } = useParams({ strict: false });
  const navigate = useNavigate();
  const toast = useToast();
  const linked = projects.find(({ id }) => id === named);
  // The last link followed, and the project in which that happened: a later difference means that
  // the person switched projects, and then the address follows.
  const [followed, setFollowed] = useState<{ named?: string | undefined; in?: string }>({});
  const isNew = named !== followed.named;
  const isOpening = isNew && linked !== undefined && linked.id !== project.id;
  const isClosed =
    named !== undefined && linked === undefined && (isNew || followed.in === project.id);

  // Before anything is painted, so that the other project's files don't appear first.
  useLayoutEffect(() => {
    if (!isNew) return;
    setFollowed({ named, in: project.id });
    if (!isOpening) return;
    setProject(linked.id);
    toast({ text: t("library.project.opened", { name: linked.name }) });
  }, [named]);

  const isNaming = !isOpening && !isClosed && (named !== undefined || assetId === undefined);
  const isStale = isNaming && named !== project.id;
  useEffect(() => {
    if (!isStale) return;
    void navigate({
      to: ".",
      search: (before) => ({ ...before, project: project.id }),
      replace: true,
      resetScroll: false,
      state: true,
      hash: true,
    });
  }, [isStale, project.id]);

  return isOpening ? "opening" : isClosed ? "closed" : "here";
}
