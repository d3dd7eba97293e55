/** A card of a few lines that opens something. */

import type { ReactNode } from "react";
import { Button } from "react-aria-components";

export function Card({ title, badge, children, onPress, isDisabled }: { title: string; badge?: ReactNode; children?: ReactNode; onPress: () => void; isDisabled?: boolean }) {
  return (
    <Button className="card" onPress={onPress} isDisabled={isDisabled}>
      <span className="card-title">
        <b className="break">{title}</b>
        {badge}
      </span>
      {children && <span className="card-body">{children}</span>}
    </Button>
  );
}
