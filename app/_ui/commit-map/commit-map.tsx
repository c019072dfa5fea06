// biome-ignore-all lint/a11y/noInteractiveElementToNoninteractiveRole: a group of an SVG is no interactive element
// biome-ignore-all lint/a11y/noAriaHiddenOnFocusable: nothing inside an SVG group takes the focus
// biome-ignore-all lint/a11y/useSemanticElements: an SVG cannot be a fieldset
import type { PanelId } from '#lib/evidence/model.ts';
import type { Bar, CommitMapLayout, Death, Dot } from './model.ts';
import { gutterOf, type Heights, RIGHT, ROOMY } from './size.ts';

const FILL: Record<PanelId, string> = {
  operation: 'fill-ledger stroke-ledger',
  target: 'fill-target stroke-target',
  receipts: 'fill-receipt stroke-receipt',
  events: 'fill-event stroke-event',
};
const TEXT = 'fill-soft text-[12px]';

function processY(row: number, heights: Heights): number {
  return heights.top + 26 + row * heights.process;
}

function BarMark({ bar, y }: { bar: Bar; y: number }) {
  return (
    <g role="img" aria-label={bar.spoken}>
      <text x={bar.from} y={y - 9} className="fill-ink text-[12px] font-[560]">
        {bar.label}
      </text>
      <line
        x1={bar.from}
        x2={Math.max(bar.to, bar.from + 6)}
        y1={y}
        y2={y}
        className={bar.end === 'held' ? 'stroke-unknown' : 'stroke-ink'}
        strokeWidth={3}
        strokeLinecap="round"
      />
      {bar.end === 'held' && (
        <path d={`M${bar.to + 5} ${y - 6}v12m5 -12v12`} className="stroke-unknown" strokeWidth={3} />
      )}
      <text
        x={bar.from}
        y={y + 16}
        className={`font-mono text-[11px] ${bar.end === 'held' ? 'fill-unknown' : 'fill-faint'}`}
      >
        {bar.detail}
      </text>
    </g>
  );
}

function DeathMark({ death, y }: { death: Death; y: number }) {
  return (
    <g role="img" aria-label={death.spoken}>
      <path
        d={`M${death.x + 8} ${y - 17}l-10 18h8l-6 16 17 -21h-9l7 -13z`}
        className="fill-crash stroke-panel"
        strokeWidth={1}
      />
      <text x={death.x + 24} y={y - 4} className="fill-crash text-[12px] font-semibold">
        {death.title}
      </text>
      <text x={death.x + 24} y={y + 12} className="fill-soft font-mono text-[11px]">
        {death.detail}
      </text>
    </g>
  );
}

function DotMark({ dot, y }: { dot: Dot; y: number }) {
  return (
    <g role="img" aria-label={dot.spoken}>
      <circle
        cx={dot.x}
        cy={y}
        r={6}
        className={dot.committed ? `${FILL[dot.panel]}` : 'fill-panel stroke-faint'}
        strokeWidth={1.5}
        strokeDasharray={dot.committed ? undefined : '3 2.5'}
      />
      {dot.label && (
        <text x={dot.x + 11} y={y - 8} className={dot.committed ? TEXT : 'fill-faint text-[12px] italic'}>
          {dot.label}
        </text>
      )}
    </g>
  );
}

/** The line to a lane begins under the words that stand beneath its process. */
function lineFrom(dot: Dot, bars: readonly Bar[], heights: Heights): number {
  const y = processY(dot.row, heights);
  const words = bars.some(
    ({ row, from, detail }) =>
      row === dot.row && dot.x >= from - 3 && dot.x <= from + detail.length * 6.7 + 3,
  );
  return words ? y + 20 : y + 2;
}

interface FrameProps {
  layout: CommitMapLayout;
  heights: Heights;
  laneY: number[];
  bottom: number;
}

function Frame({ layout, heights, laneY, bottom }: FrameProps) {
  return (
    <g aria-hidden="true">
      {layout.bands.map((band, index) => (
        <g key={band.label}>
          {index > 0 && (
            <line
              x1={band.x}
              x2={band.x}
              y1={4}
              y2={bottom - 6}
              className="stroke-line"
              strokeDasharray="1 4"
            />
          )}
          <text x={band.x + 8} y={14} className="fill-faint text-[11.5px] font-[550]">
            {band.label}
          </text>
        </g>
      ))}
      {layout.dots
        .filter((dot) => dot.committed)
        .map((dot) => (
          <line
            key={`${dot.lane}-${dot.x}`}
            x1={dot.x}
            x2={dot.x}
            y1={lineFrom(dot, layout.bars, heights)}
            y2={(laneY[dot.lane] ?? 0) - 8}
            className="stroke-faint"
            strokeDasharray="2 3"
          />
        ))}
      {layout.lanes.map((lane, index) => (
        <line
          key={lane.title}
          x1={0}
          x2={layout.width}
          y1={laneY[index]}
          y2={laneY[index]}
          className="stroke-line"
        />
      ))}
    </g>
  );
}

function Unknown({ layout, y }: { layout: CommitMapLayout; y: number }) {
  return layout.unknown.map((bar) => {
    const end = bar.to ?? layout.width;
    return (
      <g key={bar.from} role="img" aria-label={bar.spoken}>
        <path
          d={
            bar.to === null
              ? `M${end} ${y - 4}H${bar.from + 4}a4 4 0 0 0 0 8H${end}`
              : `M${bar.from + 4} ${y - 4}H${end - 4}a4 4 0 0 1 0 8H${bar.from + 4}a4 4 0 0 1 0 -8z`
          }
          className="fill-unknown-bg stroke-unknown"
          strokeDasharray="4 3"
        />
        <text
          x={bar.to === null ? bar.from + 6 : end + 8}
          y={bar.to === null ? y + 18 : y + 4}
          className="fill-unknown text-[12px] font-[550]"
        >
          {bar.label}
        </text>
      </g>
    );
  });
}

interface Props {
  layout: CommitMapLayout;
  name: string;
  heights?: Heights;
  /** Of its printed size; what is drawn stays the same. */
  scale?: number;
}

/** What committed, and where a process died: a row a process, a lane a database, left to right in order. */
export function CommitMap({ layout, name, heights = ROOMY, scale = 1 }: Props) {
  const { top, process, between, lane: laneRow } = heights;
  const lanesTop = top + Math.max(1, layout.processRows.length) * process + between;
  const laneY = layout.lanes.map((_, index) => lanesTop + index * laneRow);
  const unknownY = lanesTop + layout.lanes.length * laneRow - 12;
  const height = unknownY + (layout.unknown.length > 0 ? 24 : -2);
  const gutter = gutterOf(layout);
  const width = gutter + layout.width + RIGHT;
  return (
    <svg
      role="group"
      aria-label={name}
      viewBox={`0 0 ${width} ${height}`}
      width={Math.round(width * scale)}
      height={Math.round(height * scale)}
      className="block max-w-none [&_text]:stroke-panel [&_text]:stroke-[3px] [&_text]:[paint-order:stroke]"
    >
      <g aria-hidden="true">
        {layout.processRows.map((title, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; several have one title
          <text key={row} x={0} y={processY(row, heights) + 4} className={TEXT}>
            {title}
          </text>
        ))}
        {layout.lanes.map((lane, index) => (
          <g key={lane.title}>
            <rect
              x={0}
              y={(laneY[index] ?? 0) - 4}
              width={8}
              height={8}
              rx={2}
              className={FILL[lane.panel]}
            />
            <text x={14} y={(laneY[index] ?? 0) + 4} className={TEXT}>
              {lane.title}
            </text>
          </g>
        ))}
      </g>
      <g transform={`translate(${gutter} 0)`}>
        <Frame layout={layout} heights={heights} laneY={laneY} bottom={height} />
        <Unknown layout={layout} y={unknownY} />
        {layout.bars.map((bar) => (
          <BarMark key={`${bar.row}-${bar.from}`} bar={bar} y={processY(bar.row, heights)} />
        ))}
        {layout.dots.map((dot) => (
          <DotMark key={`${dot.lane}-${dot.x}`} dot={dot} y={laneY[dot.lane] ?? 0} />
        ))}
        {layout.deaths.map((death) => (
          <DeathMark key={`${death.row}-${death.x}`} death={death} y={processY(death.row, heights)} />
        ))}
      </g>
    </svg>
  );
}
