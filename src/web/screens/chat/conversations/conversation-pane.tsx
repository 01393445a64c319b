import { Link } from "@tanstack/react-router";
import { Archive, ArrowLeft, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { PaneRow, PaneSearch } from "../../../frame/pane.tsx";
import { PlaceLink } from "../../../frame/place-link.tsx";
import { t } from "../../../messages/t.ts";
import { Kbd } from "../../../ui/display/kbd.tsx";
import { firstPart, lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { ConversationList } from "./conversation-list.tsx";
import styles from "./conversation-pane.module.css";

const SearchHits = lazyPart(() => import("./search-hits.tsx").then(({ SearchHits }) => SearchHits));

const FolderList = firstPart(() =>
  import("../folders/folder-list.tsx").then(({ FolderList }) => FolderList),
);

const TrashList = lazyPart(
  () => import("../trash/trash-list.tsx").then(({ TrashList }) => TrashList),
  "chatTrash",
);

/** The pause in typing after which the search is sent. */
const typingPauseMs = 200;

/** The pane: search over all messages, the conversations, the archive and the trash. */
export function ConversationPane({ projectId, userId }: { projectId: string; userId: string }) {
  const [asked, setAsked] = useSearchValue("q");
  const [archived] = useSearchValue("archived");
  const [trash] = useSearchValue("trash");
  const isAside = archived !== undefined || trash !== undefined;
  const [typed, setTyped] = useState(asked ?? "");
  const q = asked?.trim() ?? "";
  const sent = useRef(typed);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(
      () => {
        sent.current = typed;
        setAsked(typed || null);
      },
      typed ? typingPauseMs : 0,
    );
    return () => clearTimeout(timer);
  }, [typed]);
  // The page changed to one with another search or none, so the field follows the address.
  useEffect(() => {
    if ((asked ?? "") === sent.current) return;
    sent.current = asked ?? "";
    setTyped(sent.current);
  }, [asked]);
  return (
    <div className={styles.pane}>
      <PaneSearch
        label={t("chat.search")}
        value={typed}
        onValueChange={setTyped}
        end={
          <span className={styles.key}>
            <Kbd keys="/" />
          </span>
        }
        data-chat-search
      />
      {!isAside && (
        <Part fallback={<div className={styles.foldersComing} />}>
          <FolderList projectId={projectId} />
        </Part>
      )}
      {q ? (
        <Part>
          <SearchHits projectId={projectId} q={q} />
        </Part>
      ) : (
        <>
          {isAside && (
            <div className={styles.archiveHead}>
              <PaneRow
                link={
                  <PlaceLink
                    to="."
                    search={(before) => ({ ...before, archived: undefined, trash: undefined })}
                    isCurrent={false}
                  />
                }
                icon={<ArrowLeft aria-hidden />}
              >
                {t("chat.archive.back")}
              </PaneRow>
            </div>
          )}
          {trash ? (
            <Part>
              <TrashList projectId={projectId} />
            </Part>
          ) : (
            <ConversationList
              projectId={projectId}
              userId={userId}
              archived={archived !== undefined}
            />
          )}
          {!isAside && (
            <div className={styles.foot}>
              <PaneRow
                link={<Link to="." search={(before) => ({ ...before, archived: "1" })} />}
                icon={<Archive aria-hidden />}
              >
                {t("chat.archive.open")}
              </PaneRow>
              <PaneRow
                link={<Link to="." search={(before) => ({ ...before, trash: "1" })} />}
                icon={<Trash2 aria-hidden />}
              >
                {t("chat.trash.open")}
              </PaneRow>
            </div>
          )}
        </>
      )}
    </div>
  );
}
