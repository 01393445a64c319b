/** An undo history: operations in order, and how many of them are applied. */
export type History<Operation> = { operations: readonly Operation[]; count: number };
export const emptyHistory: History<never> = { operations: [], count: 0 };

/** A new operation discards the undone ones. */
export const added = <Operation>(
  history: History<Operation>,
  operation: Operation,
): History<Operation> => ({
  operations: [...history.operations.slice(0, history.count), operation],
  count: history.count + 1,
});
export const undone = <Operation>(history: History<Operation>): History<Operation> => ({
  ...history,
  count: Math.max(0, history.count - 1),
});
export const redone = <Operation>(history: History<Operation>): History<Operation> => ({
  ...history,
  count: Math.min(history.operations.length, history.count + 1),
});
export const canUndo = (history: History<unknown>): boolean => history.count > 0;
export const canRedo = (history: History<unknown>): boolean =>
  history.count < history.operations.length;
export const present = <Operation>({
  operations,
  count,
}: History<Operation>): readonly Operation[] => operations.slice(0, count);

/**
 * Drops the oldest operations of a long history.
 * @returns the operations to paint permanently, and the rest
 */
export function settled<Operation>(
  history: History<Operation>,
  most: number,
): { forGood: readonly Operation[]; rest: History<Operation> } {
  const over = Math.max(0, history.count - most);
  return {
    forGood: history.operations.slice(0, over),
    rest: { operations: history.operations.slice(over), count: history.count - over },
  };
}
