import { Component, type ReactNode } from "react";

type BoundaryProps = {
  children: ReactNode;
  /** Replaces the part that threw; without it, nothing is shown. */
  fallback?: (error: unknown, reset: () => void) => ReactNode;
  onError?: (error: unknown) => void;
  /** For popups: reopening resets the error. */
  open?: boolean;
};
type BoundaryState = { failure: { error: unknown } | null; open?: boolean };

/** Contains errors of its children, so that the rest of the page keeps working. */
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
