/** What part of a drawing is in sight: drag moves it, the wheel and two fingers zoom. */

import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Layout, Placed } from "./layout";

export type Lens = { x: number; y: number; scale: number; width: number; height: number };

const LEAST = 0.08;
const MOST = 2.5;
const EDGE = 48;
const READABLE = 0.8;

export function useLens(frame: RefObject<HTMLDivElement | null>, placed: Layout) {
  const [lens, setLens] = useState<Lens>({ x: 0, y: EDGE, scale: 1, width: 600, height: 400 });
  const size = useRef(placed);
  size.current = placed;
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);

  const zoomAt = useCallback((factor: number, x: number, y: number) => {
    setLens((now) => {
      const scale = Math.min(MOST, Math.max(LEAST, now.scale * factor));
      const ratio = scale / now.scale;
      return { ...now, scale, x: x - (x - now.x) * ratio, y: y - (y - now.y) * ratio };
    });
  }, []);
  const zoom = useCallback((factor: number) => {
    const box = frame.current;
    if (box) zoomAt(factor, box.clientWidth / 2, box.clientHeight / 2);
  }, [frame, zoomAt]);
  const fit = useCallback(() => {
    setLens((now) => {
      const { width, height } = size.current;
      const scale = Math.max(LEAST, Math.min(1.15, (now.width - 2 * EDGE) / Math.max(width, 1), (now.height - 2 * EDGE) / Math.max(height, 1)));
      return { ...now, scale, x: (now.width - width * scale) / 2, y: Math.max(EDGE, (now.height - height * scale) / 2) };
    });
  }, []);
  /** Bring a node to the middle, and down to no more than half of the height. */
  const centre = useCallback((place: Placed) => {
    setLens((now) => {
      const x = place.x * now.scale + now.x;
      const y = place.y * now.scale + now.y;
      const across = now.width / 2 - x;
      const along = y < EDGE ? EDGE - y : Math.min(0, now.height / 2 - y);
      return across || along ? { ...now, x: now.x + across, y: now.y + along } : now;
    });
  }, []);

  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const edge = box.getBoundingClientRect();
      zoomAt(Math.exp(-event.deltaY * 0.0016), event.clientX - edge.left, event.clientY - edge.top);
    };
    const watch = new ResizeObserver(() => setLens((now) => ({ ...now, width: box.clientWidth, height: box.clientHeight })));
    watch.observe(box);
    box.addEventListener("wheel", wheel, { passive: false });
    return () => {
      watch.disconnect();
      box.removeEventListener("wheel", wheel);
    };
  }, [frame, zoomAt]);
  // At first the root is in the middle, as large as can be read.
  const seen = placed.places.size > 1;
  useEffect(() => {
    if (!seen) return;
    fit();
    setLens((now) => {
      const scale = Math.max(READABLE, now.scale);
      return { ...now, scale, x: now.width / 2 - (size.current.places.get("")?.x ?? 0) * scale, y: EDGE };
    });
  }, [seen, fit]);

  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = fingers.current.get(event.pointerId);
      if (!before) return;
      const after = { x: event.clientX, y: event.clientY };
      const [dx, dy] = [after.x - before.x, after.y - before.y];
      moved.current += Math.abs(dx) + Math.abs(dy);
      if (moved.current > 4) event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, after);
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const edge = event.currentTarget.getBoundingClientRect();
        const ratio = Math.hypot(after.x - other.x, after.y - other.y) / Math.max(Math.hypot(before.x - other.x, before.y - other.y), 1);
        zoomAt(ratio, (after.x + other.x) / 2 - edge.left, (after.y + other.y) / 2 - edge.top);
      } else {
        setLens((now) => ({ ...now, x: now.x + dx, y: now.y + dy }));
      }
    },
    onPointerUp: (event: PointerEvent) => fingers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => fingers.current.delete(event.pointerId),
    onPointerLeave: (event: PointerEvent) => fingers.current.delete(event.pointerId),
  };
  /** Move the drawing under a node that stays where it is on the screen. */
  const shift = useCallback((dx: number, dy: number) => setLens((now) => ({ ...now, x: now.x - dx * now.scale, y: now.y - dy * now.scale })), []);
  return { lens, zoom, fit, centre, shift, handlers };
}
