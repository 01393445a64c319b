import { Plus } from "lucide-react";
import { Chip } from "../../ui/controls/chip.tsx";
import { Popover } from "../../ui/overlays/popover.tsx";
import { LazyModelList } from "./lazy-model-list.tsx";
import type { ModelListProps } from "./model-list.tsx";

type AddModelProps = Omit<ModelListProps, "chosen" | "without"> & {
  label: string;
  /** The models of the list that it adds to. */
  added: NonNullable<ModelListProps["without"]>;
};

/** A button that adds a model to a list in a form. */
export const AddModel = ({ label, added, onChoose, ...list }: AddModelProps) => (
  <Popover
    title={label}
    isTitleHidden
    side="top"
    align="start"
    width={400}
    trigger={<Chip icon={Plus}>{label}</Chip>}
  >
    {(close) => (
      <LazyModelList
        {...list}
        chosen={null}
        without={added}
        onChoose={(model) => {
          onChoose(model);
          close();
        }}
      />
    )}
  </Popover>
);
