'use client';

import { ShapeMark } from '@/app/_components/shape-mark';
import { StatusMark } from '@/app/_components/status-mark';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatName } from '@/lib/format/names/format-name';
import { changeShape, type ShownChangeKind } from '@/lib/views/changes/change-shape';
import { formatKind } from '@/lib/views/graph/node-kind';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { shownName } from '@/lib/views/graph/node-text';
import type { Graph } from '@/lib/views/graph/schema';
import { buildTopologyRows, type TopologyLink } from '@/lib/views/graph/topology-rows';
import { shapeOfUse } from '@/lib/views/graph/use-shape';

interface TopologyTableProps {
  readonly graph: Graph;
  readonly selectedId: string | null;
  /** IDs of search results, to which the table is limited; null without a search. */
  readonly matches: ReadonlySet<string> | null;
  /** For each node ID, how a resolved config uses the node. */
  readonly marks?: Readonly<Record<string, NodeMark>>;
  /** For each node ID, the change between two times. */
  readonly changes?: Readonly<Record<string, ShownChangeKind>>;
  readonly onSelect: (id: string | null) => void;
  readonly onExpand: (id: string) => void;
}

const mostNameChars = 120;

function formatShown(name: string): string {
  return formatMiddleCut(formatName(name), mostNameChars);
}

function scrollToRow(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}

/** In narrow containers, hidden columns are shown below the name. */
const headings = [
  ['Kind', 'hidden @lg:table-cell'],
  ['Name', ''],
  ['Status', ''],
  ['Resolved', ''],
  ['Detail', 'hidden @6xl:table-cell'],
  ['From', 'hidden @6xl:table-cell'],
  ['To', 'hidden @6xl:table-cell'],
] as const;

export function TopologyTable(props: TopologyTableProps) {
  const { graph, selectedId, matches, marks, changes, onSelect, onExpand } = props;
  const rows = buildTopologyRows(graph).filter(({ node }) => matches === null || matches.has(node.id));
  return (
    <div className="@container h-full overflow-auto bg-raised">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Configuration graph as a table</caption>
        <thead className="sticky top-0 bg-raised text-muted">
          <tr>
            {headings
              .filter(([heading]) => heading !== 'Resolved' || marks !== undefined)
              .map(([heading, className]) => (
                <th
                  key={heading}
                  scope="col"
                  className={`border-line border-b px-3 py-2 font-medium ${className}`}
                >
                  {heading}
                </th>
              ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, from, to }) => (
            <tr
              key={node.id}
              ref={node.id === selectedId ? scrollToRow : undefined}
              aria-selected={node.id === selectedId}
              className={`border-line border-b align-top ${node.id === selectedId ? 'bg-accent-soft' : 'hover:bg-hover'}`}
            >
              <td className="hidden px-3 py-1.5 whitespace-nowrap text-muted @lg:table-cell">
                {formatKind(node.stands?.kind ?? node.kind)}
              </td>
              <th scope="row" className="px-3 py-1.5 font-normal">
                <button
                  type="button"
                  className="text-left font-mono wrap-anywhere underline-offset-2 hover:underline"
                  title={node.name}
                  onClick={() => (node.stands === undefined ? onSelect(node.id) : onExpand(node.id))}
                >
                  {formatMiddleCut(shownName(node), mostNameChars)}
                </button>
                <span className="ml-2 note whitespace-nowrap @lg:hidden">
                  {formatKind(node.stands?.kind ?? node.kind)}
                </span>
                <div className="text-medium @6xl:hidden">
                  <Detail node={node} />
                  <NarrowLinks word="from" links={from} onSelect={onSelect} />
                  <NarrowLinks word="to" links={to} onSelect={onSelect} />
                </div>
              </th>
              <td className="px-3 py-1.5 whitespace-nowrap">
                <StatusMark status={node.status} />
                <Change kind={changes?.[node.id]} />
              </td>
              {marks !== undefined && <Mark mark={marks[node.id]} />}
              <td className="hidden px-3 py-1.5 @6xl:table-cell">
                <Detail node={node} />
              </td>
              <Links links={from} onSelect={onSelect} />
              <Links links={to} onSelect={onSelect} />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="p-4 text-muted">No node matches.</p>}
    </div>
  );
}

/** Aggregates have no change of their own. */
function Change({ kind }: { readonly kind: ShownChangeKind | undefined }) {
  return kind === undefined ? null : (
    <p className="text-medium">
      <ShapeMark shape={changeShape(kind)} />
    </p>
  );
}

function Mark({ mark }: { readonly mark: NodeMark | undefined }) {
  return (
    <td className="px-3 py-1.5">
      {mark !== undefined && (
        <>
          <ShapeMark shape={shapeOfUse(mark.use)} />
          {mark.reason !== '' && <p className="text-medium wrap-anywhere text-muted">{mark.reason}</p>}
        </>
      )}
    </td>
  );
}

function Detail({ node }: { readonly node: Graph['nodes'][number] }) {
  return (
    <>
      {node.detail !== '' && <p className="wrap-anywhere text-muted">{node.detail}</p>}
      {node.reason !== '' && <p className="wrap-anywhere">{node.reason}</p>}
      {node.below !== undefined && <p className="wrap-anywhere">Below: {node.below.text}</p>}
      {node.unused !== '' && <p className="wrap-anywhere">Not used: {node.unused}</p>}
    </>
  );
}

const mostLinks = 5;

interface LinksProps {
  readonly links: readonly TopologyLink[];
  readonly onSelect: (id: string) => void;
}

function NarrowLinks({ word, links, onSelect }: LinksProps & { readonly word: string }) {
  if (links.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-2 text-muted">
      {word}
      {links.slice(0, mostLinks).map((link) => (
        <LinkText key={link.id} link={link} onSelect={onSelect} />
      ))}
      {links.length > mostLinks && <span>and {links.length - mostLinks} more</span>}
    </p>
  );
}

function Links({ links, onSelect }: LinksProps) {
  return (
    <td className="hidden px-3 py-1.5 @6xl:table-cell">
      {links.slice(0, mostLinks).map((link) => (
        <div key={link.id}>
          <LinkText link={link} onSelect={onSelect} />
        </div>
      ))}
      {links.length > mostLinks && <span className="text-muted">and {links.length - mostLinks} more</span>}
    </td>
  );
}

function LinkText({
  link,
  onSelect,
}: {
  readonly link: TopologyLink;
  readonly onSelect: (id: string) => void;
}) {
  return (
    <span>
      <button
        type="button"
        className="text-left font-mono wrap-anywhere text-text underline-offset-2 hover:underline"
        title={link.name}
        onClick={() => onSelect(link.id)}
      >
        {formatShown(link.name)}
      </button>
      {link.label !== '' && <span className="text-muted"> {link.label}</span>}
    </span>
  );
}
