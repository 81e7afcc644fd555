'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { clientQuestionOptions, omitEmpty } from '@/app/_ask/client-question';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { resourcePagesOptions } from '@/app/_ask/resource-pages';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Skeleton } from '@/app/_components/skeleton';
import { TopologyPanel, type TopologyPanelState } from '@/app/_drawings/topology/topology-panel';
import type { Graph, View } from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/observation';
import { markGraph } from '@/lib/view-model/changes/mark-graph';
import { findResourceNode } from '@/lib/view-model/client-resources/find-resource-node';
import { queryOfType } from '@/lib/view-model/client-resources/resource-question';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { formatResourceFind } from '@/lib/view-model/topology/find-in-topology';
import { LDS } from '@/lib/xds/resource-type';
import { graphParamsOf } from '../../client-views';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { useSettled } from '../use-settled';

const typingPauseMs = 300;

/** The largest number of changes that the graph highlights. */
const mostChanges = 1_000;

/** What config results, end to end? */
export function GraphTab() {
  const { query, resource, openResource } = useClientViewQuery();
  const params = graphParamsOf(query);
  const whole = useQuestion('graph', params);
  // In a picture that leaves nodes out, a search must bring in what it finds, and a link what it leads to.
  const typed = useSettled(query.find.trim(), typingPauseMs);
  const find = typed !== '' ? typed : findHidden(whole.data, resource);
  const isSearch = find !== '' && whole.data?.aggregated === true;
  const found = useQuestion('graph', { ...params, find }, { enabled: isSearch });
  const graph = isSearch ? (found.data ?? whole.data) : whole.data;
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      {graph !== undefined ? (
        <Picture graph={graph} />
      ) : whole.isError ? (
        <ErrorState
          title="The graph could not be drawn"
          error={whole.error}
          hint="The Resources tab reads less, and may still work."
          onRetry={() => void whole.refetch()}
        />
      ) : (
        <Skeleton waitsFor="the graph" rows={10} />
      )}
    </SplitView>
  );
}

/** A search for the resource that the inspector shows, when the picture has no node of it. */
function findHidden(graph: Graph | undefined, resource: ResourceKey | null): string {
  if (graph === undefined || resource === null || findResourceNode(graph, resource) !== undefined) return '';
  return formatResourceFind(resource) ?? '';
}

function Picture({ graph }: { readonly graph: Graph }) {
  const { transform: kept, snapshotAt, subject } = useClientViewData();
  const { query, setQuery, resource } = useClientViewQuery();
  const [transform, setTransform] = useState(kept.current);
  const keepTransform = useCallback(
    (next: View['transform']) => {
      kept.current = next;
      setTransform(next);
    },
    [kept],
  );
  const change = useCallback(
    (next: Partial<TopologyPanelState>) => {
      const { selected, ...others } = next;
      if (selected === undefined) return setQuery(others);
      const node = selected === null ? undefined : graph.nodes.find(({ id }) => id === selected);
      const key =
        node === undefined || node.typeUrl === null || node.resourceName === null
          ? null
          : { typeUrl: node.typeUrl, name: node.resourceName };
      setQuery(
        { ...others, node: selected ?? '', resource: key === null ? '' : formatResourceRef(key), body: '' },
        'push',
      );
    },
    [graph, setQuery],
  );

  const held = useInfiniteQuery(resourcePagesOptions(subject, queryOfType(LDS.typeUrl)));
  const listeners = useMemo(() => (held.data?.pages[0]?.items ?? []).map(({ name }) => name), [held.data]);

  const lit = useHighlights(graph);

  if ((lit?.graph ?? graph).nodes.length === 0) {
    return (
      <EmptyState title="Subscribed to nothing">
        The client answers, and holds no resource: it has asked for none yet, or its last one went.
      </EmptyState>
    );
  }
  // A resource opened elsewhere (a link, the other tab) is shown at its own node.
  const isDrawn = graph.nodes.some(({ id }) => id === query.node);
  const selected = isDrawn ? query.node : (findResourceNode(graph, resource)?.id ?? null);
  return (
    <div className="h-full min-h-0 max-md:h-[75dvh]">
      <TopologyPanel
        graph={lit?.graph ?? graph}
        changes={lit?.changes}
        state={{ selected, find: query.find, expand: query.expand, table: query.table, mark: query.mark }}
        listeners={listeners}
        onStateChange={change}
        transform={transform}
        onTransform={keepTransform}
        stored={snapshotAt !== null}
      />
    </div>
  );
}

/** The graph with what changed since the compared moment; undefined: nothing is compared, or not known yet. */
function useHighlights(graph: Graph): ReturnType<typeof markGraph> | undefined {
  const { client, subject, comparedSince } = useClientViewData();
  const { query } = useClientViewQuery();
  const { id: clientId } = client;
  const since = comparedSince ?? '';
  const until = 'clientId' in subject ? subject.at : undefined;
  const enabled = comparedSince !== null;
  const changes = useQuery({
    ...clientQuestionOptions({ clientId }, 'changes', {
      from: since,
      ...omitEmpty({ to: until }),
      content: 'other',
      limit: mostChanges,
    }),
    enabled,
  }).data;
  // The earlier graph shows what in a changed resource is new; without it, the resource alone is highlighted.
  const before = useQuery({
    ...clientQuestionOptions({ clientId, at: since }, 'graph', graphParamsOf(query)),
    enabled,
  }).data;
  return useMemo(
    () => (enabled && changes !== undefined ? markGraph(graph, changes.items, before) : undefined),
    [enabled, graph, changes, before],
  );
}
