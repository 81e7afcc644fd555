'use client';

import dynamic from 'next/dynamic';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '@/app/_components/button';
import { CloseButton } from '@/app/_components/close-button';
import { FilterField } from '@/app/_components/filter-field';
import { loadOnInput } from '@/app/_components/load-on-input';
import { ShapeMark } from '@/app/_components/shape-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { ShownChangeKind } from '@/lib/views/changes/change-shape';
import { graphGrammar } from '@/lib/views/graph/find-in-topology';
import type { ViewTransform } from '@/lib/views/graph/fit-transform';
import { layoutTopology, type TopologyLayout } from '@/lib/views/graph/layout-topology';
import { formatKind } from '@/lib/views/graph/node-kind';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { shownName } from '@/lib/views/graph/node-text';
import type { Graph } from '@/lib/views/graph/schema';
import { shapeOfUse } from '@/lib/views/graph/use-shape';
import { PictureButtons } from '../picture-buttons';
import { TopologyDrawing, type TopologyDrawingHandle } from './topology-drawing';
import type { TopologyPanelState } from './topology-panel-state';
import { themeVariables } from './topology-style';
import { type Found, useMatches } from './use-matches';

const TopologyTable = dynamic(() => import('./topology-table').then(({ TopologyTable }) => TopologyTable));
loadOnInput(() => import('./topology-table'));

interface TopologyPanelProps {
  readonly graph: Graph;
  /** The client's listeners, whose configs can be highlighted. */
  readonly listeners: readonly string[];
  readonly state: TopologyPanelState;
  /** For each node ID, the change between two times; absent without a comparison. */
  readonly changes?: Readonly<Record<string, ShownChangeKind>>;
  /** A selection adds an entry to the browser's history unless `history` is `replace`. */
  readonly onStateChange: (change: Partial<TopologyPanelState>, history?: 'replace') => void;
  /** IDs of the nodes that a request passes; absent: no request is shown. */
  readonly passed?: ReadonlySet<string> | undefined;
  /** Absent until the reader moves the graph. */
  readonly transform?: ViewTransform | undefined;
  readonly onTransform: (transform: ViewTransform | undefined) => void;
  /** A stored graph has neither animation nor expansion. */
  readonly stored?: boolean;
}

export function TopologyPanel({
  graph: newest,
  listeners,
  changes,
  passed,
  state,
  onStateChange,
  transform,
  onTransform,
  stored,
}: TopologyPanelProps) {
  // The layout of a large graph takes 100 ms: a live update must not block the page.
  const graph = useDeferredValue(newest);
  const layout = useTopologyLayout(graph);
  const drawing = useRef<TopologyDrawingHandle>(null);
  const [hoveredId, setHoveredId] = useState<string | null>(null);
  const { found, matches, walkMatches } = useMatches(graph, state, onStateChange);

  const shown = graph.nodes.find(({ id }) => id === state.selected);
  const marks = state.mark === '' ? undefined : graph.marks;
  const mark = shown === undefined ? undefined : marks?.[shown.id];

  const expand = (id: string): void => {
    if (!stored) onStateChange({ expand: [...state.expand, id] });
  };
  const select = (id: string | null): void => onStateChange({ selected: id });

  return (
    <section aria-label="Graph" className="@container flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-1 gap-y-1.5 border-line border-b px-4 py-1.5">
        <FilterField
          grammar={graphGrammar}
          label="Find in the graph"
          value={state.find}
          placeholder="Find: cart  type=cluster  status=trouble"
          onChange={(find) => onStateChange({ find, match: 0 })}
          onEnter={(isBack) => walkMatches(isBack ? -1 : 1)}
          className="min-w-40 flex-[1_1_10rem] md:max-w-md"
        />
        {matches === null ? (
          <p className="mr-auto ml-2 note @max-[900px]:sr-only">{formatTotals(graph)}</p>
        ) : (
          <MatchControls
            found={found}
            selected={state.selected}
            onWalk={walkMatches}
            onHide={
              state.hide === undefined
                ? undefined
                : () =>
                    onStateChange({ hide: [...(state.hide ?? []), state.find.trim()], find: '', match: 0 })
            }
          />
        )}
        <MarkChoice value={state.mark} listeners={listeners} onChange={(mark) => onStateChange({ mark })} />
        {state.expand.length > 0 && !stored && (
          <Button tone="quiet" onPress={() => onStateChange({ expand: [] })}>
            Collapse
          </Button>
        )}
        {!state.table && (
          <>
            <span className="inline-flex gap-x-1">
              <Button tone="quiet" label="Zoom out" onPress={() => drawing.current?.zoomBy(1 / 1.3)}>
                −
              </Button>
              <Button tone="quiet" label="Zoom in" onPress={() => drawing.current?.zoomBy(1.3)}>
                +
              </Button>
              <Button tone="quiet" onPress={() => drawing.current?.showAll()}>
                Fit
              </Button>
            </span>
            <Button tone="quiet" onPress={() => onStateChange({ legend: !state.legend })}>
              <span className="@max-[900px]:hidden">{state.legend ? 'Hide legend' : 'Show legend'}</span>
              <span className="@min-[900px]:hidden">Legend</span>
            </Button>
            <PictureButtons
              name="xdscope"
              at={graph.at}
              draw={() => {
                const svg = drawing.current?.svg();
                return svg ? { svg: serialiseTopology(svg, layout), ...layout } : null;
              }}
            />
          </>
        )}
        <Button onPress={() => onStateChange({ table: !state.table })}>
          {state.table ? 'Graph' : 'Table'}
        </Button>
      </div>
      {state.hide !== undefined && state.hide.length > 0 && (
        <HiddenChips texts={state.hide} count={graph.hidden} onChange={(hide) => onStateChange({ hide })} />
      )}
      <div className="relative min-h-0 flex-1 bg-surface">
        {state.table ? (
          <TopologyTable
            graph={graph}
            selectedId={state.selected}
            matches={matches}
            marks={marks}
            changes={changes}
            onSelect={select}
            onExpand={expand}
          />
        ) : (
          <TopologyDrawing
            ref={drawing}
            layout={layout}
            selectedId={state.selected}
            hoveredId={hoveredId}
            matches={matches}
            find={state.find.trim()}
            onSelect={select}
            onHover={setHoveredId}
            onExpand={expand}
            transform={transform}
            onTransform={onTransform}
            hasLegend={state.legend}
            marks={marks}
            markedBy={state.mark}
            changes={changes}
            passed={passed}
            stored={stored}
          />
        )}
        {shown !== undefined && mark !== undefined && <MarkLine node={shown} mark={mark} />}
      </div>
    </section>
  );
}

function formatTotals({ nodes, totals, aggregated }: Graph): string {
  const all = formatCounted(totals.nodes, 'element');
  return aggregated ? `${formatCount(nodes.length)} of ${all} shown; others grouped` : all;
}

interface MarkLineProps {
  readonly node: Graph['nodes'][number];
  readonly mark: NodeMark;
}

/** States how the highlighted config uses the selected node. It covers the graph, so that the graph does not move. */
function MarkLine({ node, mark }: MarkLineProps) {
  return (
    <p
      role="status"
      className="absolute inset-x-0 bottom-0 flex flex-wrap items-baseline gap-x-2 border-t border-line bg-raised px-4 py-1.5 text-medium"
    >
      <span className="min-w-0 break-words text-muted">
        {formatKind(node.kind)}{' '}
        <span className="font-mono text-[0.9286em] text-text" title={node.name}>
          {formatMiddleCut(shownName(node), 64)}
        </span>
      </span>
      <ShapeMark shape={shapeOfUse(mark.use)} />
      {mark.reason !== '' && <span className="min-w-0 break-words">{mark.reason}</span>}
    </p>
  );
}

interface MarkChoiceProps {
  /** Listener of the highlighted config; empty: none. */
  readonly value: string;
  readonly listeners: readonly string[];
  readonly onChange: (listener: string) => void;
}

/** The tab of the effective config finds the others. */
const mostListeners = 200;

function MarkChoice({ value, listeners, onChange }: MarkChoiceProps) {
  const shown = listeners.slice(0, mostListeners);
  const isMissing = value !== '' && !shown.includes(value);
  if (listeners.length === 0 && value === '') return null;
  return (
    <label className="inline-flex h-8 min-w-0 items-center gap-1.5 rounded-md border border-line-strong/60 bg-raised pl-2.5 text-medium focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
      <span className="text-muted">Highlight</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        title={value === '' ? 'Highlights what an effective config uses and ignores' : value}
        className="h-full max-w-56 min-w-0 @max-[900px]:max-w-28 cursor-pointer rounded-md bg-raised pr-1 outline-none"
      >
        <option value="">none</option>
        {isMissing && <option value={value}>{optionText(value)}</option>}
        {shown.map((listener) => (
          <option key={listener} value={listener}>
            {optionText(listener)}
          </option>
        ))}
      </select>
    </label>
  );
}

function optionText(listener: string): string {
  return `config for ${formatMiddleCut(listener, 48)}`;
}

/** Lays a graph out relative to its previous layout, so that updates move only what changed. */
function useTopologyLayout(graph: Graph): TopologyLayout {
  const previous = useRef<{ clientId: string; order: ReadonlyMap<string, number> } | null>(null);
  const layout = useMemo(() => {
    const before = previous.current;
    return layoutTopology(graph, before?.clientId === graph.clientId ? { previousOrder: before.order } : {});
  }, [graph]);
  useEffect(() => {
    previous.current = { clientId: graph.clientId, order: layout.order };
  }, [graph.clientId, layout]);
  return layout;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The whole graph as an SVG file with its style sheet, without pan and zoom, in the colours of the current theme. */
function serialiseTopology(svg: SVGSVGElement, { width, height }: Size): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return '';
  const theme = getComputedStyle(svg);
  copy.removeAttribute('style');
  copy.querySelector(':scope > style')?.removeAttribute('nonce');
  for (const name of Object.keys(themeVariables)) {
    const value = theme.getPropertyValue(name);
    if (value !== '') copy.style.setProperty(name, value);
  }
  copy.setAttribute('class', 'topology');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.querySelector(':scope > g')?.removeAttribute('transform');
  copy.querySelector('.heads')?.removeAttribute('transform');
  for (const node of copy.querySelectorAll<SVGElement>('.node')) node.style.removeProperty('transform');
  for (const lit of copy.querySelectorAll('.lit, .dim')) lit.classList.remove('lit', 'dim');
  const surface = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  surface.setAttribute('width', '100%');
  surface.setAttribute('height', '100%');
  surface.style.setProperty('fill', 'var(--t-surface)');
  copy.insertBefore(surface, copy.querySelector(':scope > g'));
  return new XMLSerializer().serializeToString(copy);
}

interface HiddenChipsProps {
  /** The search texts whose matches are hidden. */
  readonly texts: readonly string[];
  /** The number of hidden nodes. */
  readonly count: number;
  readonly onChange: (texts: string[]) => void;
}

/** Shows what is hidden, with a button for each text that shows its matches again. */
function HiddenChips({ texts, count, onChange }: HiddenChipsProps) {
  return (
    <section
      aria-label="Hidden elements"
      className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-1"
    >
      <h3 className="note font-medium">{formatCounted(count, 'element')} hidden</h3>
      <ul className="contents">
        {[...new Set(texts)].map((text) => (
          <li
            key={text}
            className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2 text-small"
          >
            <span className="min-w-0 font-mono wrap-anywhere">{text}</span>
            <CloseButton
              label={`Show ${text} again`}
              onClose={() => onChange(texts.filter((each) => each !== text))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface MatchControlsProps {
  /** undefined: not counted yet. */
  readonly found: Found | undefined;
  readonly selected: string | null;
  readonly onWalk: (step: 1 | -1) => void;
  /** undefined: nothing can be hidden. */
  readonly onHide: (() => void) | undefined;
}

/** "3 of 102", with buttons for the previous and the next match, and for hiding all. */
function MatchControls({ found, selected, onWalk, onHide }: MatchControlsProps) {
  const isNone = found === undefined || found.total === 0;
  return (
    <div className="mr-auto flex items-center gap-0.5">
      <p role="status" className="mx-1.5 note whitespace-nowrap tabular-nums">
        {formatPosition(found, selected)}
      </p>
      <Button
        tone="quiet"
        icon="chevron-up"
        label="Previous match (Shift+Enter)"
        onPress={() => onWalk(-1)}
        isDisabled={isNone}
      >
        {null}
      </Button>
      <Button
        tone="quiet"
        icon="chevron-down"
        label="Next match (Enter)"
        onPress={() => onWalk(1)}
        isDisabled={isNone}
      >
        {null}
      </Button>
      {onHide !== undefined && (
        <Button tone="quiet" onPress={onHide} isDisabled={isNone}>
          Hide
        </Button>
      )}
    </div>
  );
}

function formatPosition(found: Found | undefined, selected: string | null): string {
  if (found === undefined) return 'searching';
  if (found.total === 0) return 'no match';
  const at = found.ids.indexOf(selected ?? '');
  if (at < 0) return formatCounted(found.total, 'match', 'matches');
  return `${formatCount(found.first + at + 1)} of ${formatCount(found.total)}`;
}
