/** Curves in logarithmic scales, drawn by uPlot. */

import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, onColours } from "../theme";
import { shown } from "./shown";

export type Curve = { label: string; x: readonly number[]; y: readonly (number | null)[]; place: number; dashed?: boolean };

const HEIGHT = 280;

/** Keep what a logarithmic scale can show. */
function table(curve: Curve, log: boolean): [number[], (number | null)[]] {
  const xs: number[] = [];
  const ys: (number | null)[] = [];
  curve.x.forEach((x, place) => {
    const y = curve.y[place];
    if (y === null || y === undefined || y <= 0 || (log && x <= 0) || (xs.length > 0 && x <= (xs[xs.length - 1] ?? 0))) return;
    xs.push(x);
    ys.push(y);
  });
  return [xs, ys];
}

function aligned(curves: readonly Curve[], log: boolean): uPlot.AlignedData {
  const tables = curves.map((curve) => table(curve, log) as unknown as uPlot.AlignedData);
  return tables.length === 1 ? (tables[0] as uPlot.AlignedData) : uPlot.join(tables);
}

function options(curves: readonly Curve[], xLabel: string, yLabel: string, logX: boolean, width: number, height: number): uPlot.Options {
  const ink = colour("--soft");
  const power = (_: uPlot, splits: number[]) => splits.map((split) => (Math.abs(Math.log10(split) % 1) < 1e-9 ? split : null));
  const grid = { stroke: colour("--line"), width: 1 };
  const font = "12px system-ui, sans-serif";
  const powers = (_: uPlot, splits: number[]) => splits.map((split) => (split === null || split === undefined ? "" : shown(split, 3)));
  const axis: uPlot.Axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font, labelFont: font, labelSize: 20, values: powers };
  return {
    width,
    height,
    padding: [12, 26, 0, 0],
    legend: { show: true, live: true },
    cursor: { points: { size: 7 }, drag: { x: true, y: false } },
    scales: { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: 3, log: 10 } },
    axes: [
      { ...axis, label: xLabel, size: 32, grid: logX ? { ...grid, filter: power } : grid },
      { ...axis, label: yLabel, size: 62, grid: { ...grid, filter: power } },
    ],
    series: [
      { label: xLabel, value: (_, x) => shown(x, 5) },
      ...curves.map(
        (curve): uPlot.Series => ({
          label: curve.label,
          stroke: colour(`--c${curve.place % 8}`),
          width: 2,
          dash: curve.dashed ? [6, 5] : undefined,
          spanGaps: true,
          points: { show: curve.x.length < 3 },
          value: (_, y) => shown(y, 4),
        }),
      ),
    ],
  };
}

export function Curves({ curves, xLabel, yLabel, logX = false, label, height = HEIGHT }: {
  curves: readonly Curve[];
  xLabel: string;
  yLabel: string;
  logX?: boolean;
  label: string;
  height?: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef<uPlot.AlignedData>([[]]);
  const [colours, recolour] = useState(0);
  const shape = JSON.stringify([curves.map((curve) => [curve.label, curve.place, curve.dashed, curve.x.length < 3]), xLabel, yLabel, logX]);
  const data = aligned(curves, logX);
  latest.current = data;

  useEffect(() => onColours(() => recolour((count) => count + 1)), []);
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const drawn = new uPlot(options(curves, xLabel, yLabel, logX, Math.max(box.clientWidth, 200), height), latest.current, box);
    chart.current = drawn;
    const watch = new ResizeObserver(() => drawn.setSize({ width: Math.max(box.clientWidth, 200), height }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      drawn.destroy();
      chart.current = null;
    };
    // The chart is made anew when its shape or the colours change; new points go into the one that is there.
  }, [shape, colours, height]);
  useEffect(() => {
    chart.current?.setData(latest.current);
  });

  return <div ref={place} className="curves" role="img" aria-label={label} />;
}
