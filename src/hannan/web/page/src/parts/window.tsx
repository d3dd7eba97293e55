/**
 * A list of any length that keeps only the rows in sight.
 *
 * Browsers limit the height of an element to some ten million pixels. A longer list is drawn in a lower box: small steps move
 * it row by row, and a jump of the scroll bar goes to the same share of the whole list (the method of SlickGrid).
 */

import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const HIGHEST = 4_000_000;
const PAGES = 100;
const SPARE = 6;

type Sight = { first: number; last: number; shift: number };

function heights(count: number, row: number) {
  const whole = count * row;
  const box = Math.min(whole, HIGHEST);
  const page = box / PAGES;
  const pages = whole > box ? Math.floor(whole / page) : 1;
  const skip = pages > 1 ? (whole - box) / (pages - 1) : 0;
  return { whole, box, page, pages, skip };
}

export function useWindow(box: RefObject<HTMLDivElement | null>, count: number, row: number) {
  const offset = useRef(0);
  const before = useRef(0);
  const [sight, setSight] = useState<Sight>({ first: 0, last: 0, shift: 0 });
  const sizes = heights(count, row);

  const look = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const top = element.scrollTop + offset.current;
    const first = Math.max(0, Math.floor(top / row) - SPARE);
    const last = Math.min(count, Math.ceil((top + element.clientHeight) / row) + SPARE);
    setSight((now) => (now.first === first && now.last === last && now.shift === offset.current ? now : { first, last, shift: offset.current }));
  }, [box, count, row]);

  const scrolled = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const { whole, box: height, page, pages, skip } = sizes;
    const top = element.scrollTop;
    if (pages > 1) {
      const view = element.clientHeight;
      if (Math.abs(top - before.current) < view) {
        const there = Math.min(Math.max(top + offset.current, 0), whole - view);
        const next = Math.round(Math.min(pages - 1, Math.floor(there / page)) * skip);
        if (next !== offset.current) {
          offset.current = next;
          element.scrollTop = there - next;
        }
      } else {
        const share = (whole - view) / (height - view);
        offset.current = Math.round(Math.min(pages - 1, Math.floor((top * share) / page)) * skip);
      }
    }
    before.current = element.scrollTop;
    look();
  }, [box, look, sizes.whole, sizes.box, sizes.page, sizes.pages, sizes.skip]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    offset.current = 0;
    before.current = 0;
    element.scrollTop = 0;
    look();
  }, [box, count, row, look]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, [box, look, scrolled]);

  /** Bring row `index` into sight. */
  const show = useCallback(
    (index: number) => {
      const element = box.current;
      if (!element) return;
      const top = element.scrollTop + offset.current;
      const low = index * row;
      if (low >= top && low + row <= top + element.clientHeight) return;
      const there = Math.max(0, Math.min(low < top ? low : low + row - element.clientHeight, sizes.whole - element.clientHeight));
      offset.current = Math.round(Math.min(sizes.pages - 1, Math.floor(there / sizes.page)) * sizes.skip);
      element.scrollTop = there - offset.current;
      before.current = element.scrollTop;
      look();
    },
    [box, row, look, sizes.whole, sizes.page, sizes.pages, sizes.skip],
  );

  return { sight, height: sizes.box, show };
}

/** A grid of rows for keyboard and screen reader: one row has the focus, arrows move it, Enter chooses. */
export function WindowedRows({ count, row, label, columns, chosen, onChoose, children, onSight, busy }: {
  count: number;
  row: number;
  label: string;
  columns: number;
  chosen: number | null;
  onChoose: (index: number) => void;
  children: (index: number) => ReactNode;
  onSight?: (first: number, last: number) => void;
  busy?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const { sight, height, show } = useWindow(box, count, row);
  const [active, setActive] = useState(0);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    setActive(next);
    show(next);
  };
  useEffect(() => setActive(0), [count]);
  useEffect(() => onSight?.(sight.first, sight.last), [onSight, sight.first, sight.last]);
  const page = Math.max(1, sight.last - sight.first - 2 * SPARE);
  const rows: ReactNode[] = [];
  for (let index = sight.first; index < sight.last; index += 1) {
    rows.push(
      <div
        key={index}
        id={`row-${index}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={chosen === index}
        className={`list-row ${active === index ? "active" : ""}`}
        style={{ transform: `translateY(${index * row - sight.shift}px)`, height: row }}
        onClick={() => {
          setActive(index);
          onChoose(index);
        }}
      >
        {children(index)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      className="list-box"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns}
      aria-busy={busy}
      aria-activedescendant={count ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={(event) => {
        const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: count - 1 };
        const to = steps[event.key];
        if (to !== undefined) {
          event.preventDefault();
          move(to);
        } else if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onChoose(active);
        }
      }}
    >
      <div className="list-space" style={{ height }}>
        {rows}
      </div>
    </div>
  );
}
