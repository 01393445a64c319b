import type { ReactNode } from "react";
import type {
  ConnectionKind,
  ConnectionPlace,
  ListedConnection,
} from "../../data/queries/connections.queries.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import { AddConnectionDialog } from "./add/add-connection-dialog.tsx";

// The details' forms and lists are larger than the screens that open them.
const ConnectionDetails = lazyPart(() =>
  import("./connection-details.tsx").then(({ ConnectionDetails }) => ConnectionDetails),
);

type ConnectionsAddress = {
  /** The place for new connections. */
  place: ConnectionPlace;
  connections: readonly ListedConnection[];
  /** Undefined while they load. */
  kinds: ConnectionKind[] | undefined;
  mayAdd: boolean;
};

/**
 * The connection state in the address and the parts that show it: the open connection
 * (`?connection=<id>`) and the one being added (`?add=<kind>`, empty while its service is chosen).
 */
export function useConnectionsAddress({
  place,
  connections,
  kinds = [],
  mayAdd,
}: ConnectionsAddress) {
  const [openId, setOpenId] = useSearchValue("connection");
  const [adding, setAdding] = useSearchValue("add");
  const open = connections.find(({ id }) => id === openId);
  const onOpen = (id: string) => setOpenId(id === openId ? null : id, { push: true });
  const dialog: ReactNode = (
    <AddConnectionDialog
      place={place}
      kinds={kinds}
      connections={connections}
      picked={kinds.length > 0 && mayAdd ? adding : undefined}
      onPick={(kind) => setAdding(kind)}
      onAdded={(id) => {
        setAdding(null);
        setOpenId(id);
      }}
    />
  );
  const inspector: ScreenInspector | undefined = open && {
    title: open.name,
    isOpen: true,
    onOpenChange: (isOpen: boolean) => !isOpen && setOpenId(null),
    children: (
      <Part fallback={<SkeletonText lines={6} />}>
        <ConnectionDetails
          key={open.id}
          connection={open}
          kinds={kinds}
          onRemoved={() => setOpenId(null)}
        />
      </Part>
    ),
  };
  return {
    lists: { kinds, openId, onOpen },
    beginAdding: () => setAdding(""),
    addKind: (kind: string) => setAdding(kind),
    dialog,
    inspector,
  };
}
