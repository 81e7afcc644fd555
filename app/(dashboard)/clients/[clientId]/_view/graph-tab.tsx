'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { Skeleton } from '@/app/_components/skeleton';
import { TopologyPanel, type TopologyPanelState } from '@/app/_drawings/topology/topology-panel';
import type { ChangesQueryOptions, GraphQueryOptions } from '@/app/_hooks/client-view-queries';
import type { Graph, View } from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/observation';
import { markGraph } from '@/lib/view-model/changes/mark-graph';
import { findResourceNode } from '@/lib/view-model/client-resources/find-resource-node';
import { questionOfType } from '@/lib/view-model/client-resources/resource-question';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { formatResourceFind } from '@/lib/view-model/topology/find-in-topology';
import { LDS } from '@/lib/xds/resource-type';
import { graphParamsOf } from '../search-params';
import { useClientViewData } from './client-view-data';
import { InspectorSide } from './inspector-side';
import { useClientViewQuery } from './use-client-view-query';
import { useSettled } from './use-settled';

const typingPauseMs = 300;

const nothingCompared: ChangesQueryOptions = { queryKey: ['nothing compared'], enabled: false };
const nothingBefore: GraphQueryOptions = { queryKey: ['no picture before'], enabled: false };

/** What config results, end to end? */
export function GraphTab() {
  const { graphQuery } = useClientViewData();
  const { query, resource, openResource } = useClientViewQuery();
  const params = graphParamsOf(query);
  const whole = useQuery(graphQuery(params));
  // In a picture that leaves nodes out, a search must bring in what it finds, and a link what it leads to.
  const typed = useSettled(query.find.trim(), typingPauseMs);
  const find = typed !== '' ? typed : findHidden(whole.data, resource);
  const isSearch = find !== '' && whole.data?.aggregated === true;
  const found = useQuery({ ...graphQuery({ ...params, find }), enabled: isSearch });
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
  const {
    transform: kept,
    frozenAt,
    resourcePagesQuery,
    changesQuery,
    graphBeforeQuery,
  } = useClientViewData();
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

  const held = useInfiniteQuery(resourcePagesQuery(questionOfType(LDS.typeUrl)));
  const listeners = useMemo(() => (held.data?.pages[0]?.items ?? []).map(({ name }) => name), [held.data]);

  const compared = useQuery(changesQuery ?? nothingCompared).data;
  // What of a changed resource is new is told by its picture of then; until that is here, the resource alone is lit.
  const before = useQuery(graphBeforeQuery?.(graphParamsOf(query)) ?? nothingBefore).data;
  const lit = useMemo(
    () => (compared === undefined ? undefined : markGraph(graph, compared.items, before)),
    [graph, compared, before],
  );

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
        frozen={frozenAt !== null}
      />
    </div>
  );
}
