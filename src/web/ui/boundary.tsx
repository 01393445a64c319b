import { Component, type ReactNode } from "react";

type BoundaryProps = {
  children: ReactNode;
  /** What stands in place of what threw; nothing when not given. */
  fallback?: (error: unknown, reset: () => void) => ReactNode;
  onError?: (error: unknown) => void;
  /** A popup's: opened again, it is tried again. */
  open?: boolean;
};
type BoundaryState = { failure: { error: unknown } | null; open?: boolean };

/** Keeps what throws in its place: the rest of the page lives on. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null };
  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } };
  }
  static getDerivedStateFromProps(
    { open }: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> {
    return { open, ...(open && !state.open && { failure: null }) };
  }
  override componentDidCatch(error: unknown) {
    this.props.onError?.(error);
  }
  override render() {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return this.props.fallback?.(failure.error, () => this.setState({ failure: null }));
  }
}
