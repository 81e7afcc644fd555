'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ClientQuery, clientQuestionOptions } from '@/app/_ask/client-question';
import { diffMarksOptions } from '@/app/_ask/diff-options';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { TopologyPanel } from '@/app/_drawings/topology/topology-panel';
import type { TopologyPanelState } from '@/app/_drawings/topology/topology-panel-state';
import type { ChangeKind } from '@/lib/diff/change-kind';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { type ShownChangeKind, sideKindOf } from '@/lib/views/changes/change-shape';
import { markGraph } from '@/lib/views/changes/mark-graph';
import { clientAddress, parseDiffAddress } from '@/lib/views/compare/diff-address';
import type { DiffAnswerItem, DiffSide } from '@/lib/views/compare/schema';
import type { View } from '@/lib/views/permalinks/schema';

interface CompareGraphState {
  readonly node: string;
  readonly find: string;
  readonly expand: string[];
  readonly table: boolean;
  readonly legend: boolean;
}

interface CompareGraphProps {
  readonly left: string;
  readonly right: string;
  readonly side: DiffSide;
  readonly state: CompareGraphState;
  readonly onChange: (change: Partial<CompareGraphState>) => void;
  readonly onOpen: (resource: ResourceKey) => void;
}

/** The graph of B with the differences highlighted, and with nodes that only A has. */
export function CompareGraph({ left, right, side, state, onChange, onOpen }: CompareGraphProps) {
  const [transform, setTransform] = useState<View['transform']>();
  const query = { expand: state.expand };
  const { data: graph, error, refetch } = useQuery(graphOptionsOf(right, query));
  // With the left graph, only the changed parts of a changed resource are highlighted.
  const { data: before } = useQuery(graphOptionsOf(left, query));
  const { data: marks } = useQuery(diffMarksOptions(left, right));
  const lit = useMemo(() => {
    if (graph === undefined) return undefined;
    const marked = markGraph(graph, (marks?.items ?? []).flatMap(changeOf), before);
    return { ...marked, changes: sidesOf(marked.changes) };
  }, [graph, before, marks]);
  if (lit === undefined) {
    return error === null ? (
      <Skeleton waitsFor="the graph" rows={10} />
    ) : (
      <ErrorState title="Couldn’t load the graph" error={error} onRetry={() => void refetch()} />
    );
  }
  if (lit.graph.nodes.length === 0) return <EmptyState title="B has no resources" />;

  function change({ selected, find, expand, table, legend }: Partial<TopologyPanelState>) {
    onChange({
      ...(selected !== undefined && { node: selected ?? '' }),
      ...(find !== undefined && { find }),
      ...(expand !== undefined && { expand }),
      ...(table !== undefined && { table }),
      ...(legend !== undefined && { legend }),
    });
    const node = lit?.graph.nodes.find(({ id }) => id === selected);
    if (node === undefined || node.typeUrl === undefined || node.resourceName === undefined) return;
    if (lit?.changes[node.id] !== undefined) onOpen({ typeUrl: node.typeUrl, name: node.resourceName });
  }

  return (
    <div className="flex h-full min-h-0 flex-col max-md:h-[75dvh]">
      <TopologyPanel
        graph={lit.graph}
        changes={lit.changes}
        state={{
          selected: state.node === '' ? null : state.node,
          find: state.find,
          expand: [...state.expand],
          table: state.table,
          legend: state.legend,
          mark: '',
        }}
        listeners={[]}
        onStateChange={change}
        transform={transform}
        onTransform={setTransform}
        stored={side.what === 'permalink'}
      />
    </div>
  );
}

function graphOptionsOf(address: string, query: ClientQuery<'graph'>) {
  const { what, id, at } = parseDiffAddress(address) ?? clientAddress('');
  return clientQuestionOptions(
    what === 'permalink' ? { permalinkId: id } : { clientId: id, at: at ?? '' },
    'graph',
    query,
  );
}

function sidesOf(changes: Readonly<Record<string, ChangeKind>>): Readonly<Record<string, ShownChangeKind>> {
  return Object.fromEntries(Object.entries(changes).map(([id, kind]) => [id, sideKindOf(kind)]));
}

/** Only semantic differences are highlighted. */
function changeOf({ kind, typeUrl, name }: DiffAnswerItem) {
  return kind === 'added' || kind === 'removed' || kind === 'changed' ? [{ kind, typeUrl, name }] : [];
}
