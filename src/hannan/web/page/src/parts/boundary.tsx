/** A view that breaks says so, and leaves the rest of the page alone. */

import { Component, type ReactNode } from "react";
import { Note, said } from "./shown";

export class Boundary extends Component<{ children: ReactNode }, { reason: unknown }> {
  override state: { reason: unknown } = { reason: null };

  static getDerivedStateFromError(reason: unknown) {
    return { reason };
  }

  override render() {
    return this.state.reason ? <Note tone="bad">This view has failed: {said(this.state.reason)}</Note> : this.props.children;
  }
}
