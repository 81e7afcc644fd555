'use client';

import type { Graph } from '@/lib/api/schema';
import { statusShape, statusStrokeWidth } from '@/lib/format/status-shape';
import { formatKind } from '@/lib/view-model/topology/node-kind';
import { buildTopologyRows, type TopologyLink } from '@/lib/view-model/topology/topology-rows';

interface TopologyTableProps {
  readonly graph: Graph;
  readonly selectedId: string | null;
  /** Ids that a search found: only they are listed; null when nothing is looked for. */
  readonly matches: ReadonlySet<string> | null;
  readonly onSelect: (id: string | null) => void;
  readonly onExpand: (id: string) => void;
}

/** The graph's table twin: the same nodes in the same order, with what leads to them and what they lead to. */
export function TopologyTable({ graph, selectedId, matches, onSelect, onExpand }: TopologyTableProps) {
  const rows = buildTopologyRows(graph).filter(({ node }) => matches === null || matches.has(node.id));
  return (
    <div className="h-full overflow-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">Configuration graph as a table</caption>
        <thead className="sticky top-0 bg-raised text-muted">
          <tr>
            {['Kind', 'Name', 'Status', 'Detail', 'From', 'To'].map((heading) => (
              <th key={heading} scope="col" className="border-line border-b px-3 py-2 font-medium">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, from, to }) => (
            <tr
              key={node.id}
              aria-selected={node.id === selectedId}
              className={`border-line border-b align-top ${node.id === selectedId ? 'bg-accent-soft' : 'hover:bg-hover'}`}
            >
              <td className="px-3 py-1.5 whitespace-nowrap text-muted">
                {formatKind(node.stands?.kind ?? node.kind)}
              </td>
              <th scope="row" className="px-3 py-1.5 font-normal">
                <button
                  type="button"
                  className="text-left font-mono break-all underline-offset-2 hover:underline"
                  onClick={() => (node.stands === null ? onSelect(node.id) : onExpand(node.id))}
                >
                  {node.name}
                </button>
              </th>
              <td className="px-3 py-1.5 whitespace-nowrap">
                <Status status={node.status} />
              </td>
              <td className="px-3 py-1.5">
                {node.detail}
                {node.reason !== '' && <p className="text-muted break-words">{node.reason}</p>}
              </td>
              <Links links={from} onSelect={onSelect} />
              <Links links={to} onSelect={onSelect} />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="p-4 text-muted">Nothing in the graph matches.</p>}
    </div>
  );
}

function Status({ status }: { readonly status: Graph['nodes'][number]['status'] }) {
  const { path, filled, word, variable } = statusShape(status);
  if (path === '') return null;
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg
        viewBox="0 0 16 16"
        width={12}
        height={12}
        aria-hidden="true"
        style={{ color: `var(${variable})` }}
      >
        <path
          d={path}
          fill={filled ? 'currentColor' : 'none'}
          stroke={filled ? 'none' : 'currentColor'}
          strokeWidth={statusStrokeWidth}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {word}
    </span>
  );
}

const mostLinks = 5;

function Links({
  links,
  onSelect,
}: {
  readonly links: readonly TopologyLink[];
  readonly onSelect: (id: string) => void;
}) {
  return (
    <td className="px-3 py-1.5">
      {links.slice(0, mostLinks).map(({ id, name, label }) => (
        <div key={id}>
          <button
            type="button"
            className="text-left font-mono break-all underline-offset-2 hover:underline"
            onClick={() => onSelect(id)}
          >
            {name}
          </button>
          {label !== '' && <span className="text-muted"> {label}</span>}
        </div>
      ))}
      {links.length > mostLinks && <span className="text-muted">and {links.length - mostLinks} more</span>}
    </td>
  );
}
