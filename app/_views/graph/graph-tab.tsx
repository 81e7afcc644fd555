'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo } from 'react';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { omitEmpty } from '@/app/_ask/query-text';
import { resourcePagesOptions } from '@/app/_ask/resource-pages';
import { useQuestion } from '@/app/_ask/use-question';
import { CloseButton } from '@/app/_components/close-button';
import { EmptyState } from '@/app/_components/empty-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { QueryContent } from '@/app/_components/query-content';
import { GlyphMark } from '@/app/_components/shape-mark';
import { TopologyPanel } from '@/app/_drawings/topology/topology-panel';
import type { TopologyPanelState } from '@/app/_drawings/topology/topology-panel-state';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { messageOf } from '@/lib/format/message-of';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { markGraph } from '@/lib/views/changes/mark-graph';
import { findRequestPath } from '@/lib/views/explain/request-path';
import type { Explanation } from '@/lib/views/explain/schema';
import { shapeOfOutcome } from '@/lib/views/explain/verdict-shape';
import { formatResourceFind } from '@/lib/views/graph/find-in-topology';
import { formatTransform, parseTransform } from '@/lib/views/graph/fit-transform';
import type { Graph } from '@/lib/views/graph/schema';
import type { View } from '@/lib/views/permalinks/schema';
import { findResourceNode } from '@/lib/views/resources/find-resource-node';
import { queryOfType } from '@/lib/views/resources/resource-question';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { InspectorSide } from '../client/inspector-side';
import { useClientViewQuery } from '../client/use-client-view-query';
import { explainQueryOf, isRequest } from '../explain/search-params';
import { graphParams, graphQueryOf } from './search-params';

const typingPauseMs = 300;

const mostChanges = 1_000;

export function GraphTab() {
  const { query, resource, openResource } = useClientViewQuery(graphParams);
  const params = graphQueryOf(query);
  const whole = useQuestion('graph', params);
  // If the graph omits nodes, the server adds the nodes that a search or a link needs.
  const typed = useDebounced(query.find.trim(), typingPauseMs);
  const isAsked = isRequest(query);
  const explained = useQuestion('explain', explainQueryOf(query), { enabled: isAsked });
  const explanation = isAsked ? explained.data : undefined;
  const cluster = explanation?.outcome.cluster;
  const passed = cluster === undefined ? null : { typeUrl: CDS.typeUrl, name: cluster };
  const find = typed !== '' ? typed : findHidden(whole.data, resource ?? passed);
  const isSearch = find !== '' && whole.data?.aggregated === true;
  const found = useQuestion('graph', { ...params, find, match: query.match }, { enabled: isSearch });
  const graph = isSearch ? (found.data ?? whole.data) : whole.data;
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      <QueryContent query={{ ...whole, data: graph }} what="the graph" rows={10}>
        {(data) => (
          <>
            {isAsked && <RequestPathLine query={explained} />}
            <Picture graph={data} explanation={explanation} />
          </>
        )}
      </QueryContent>
    </SplitView>
  );
}

/** A search for the resource in the inspector, if it has no node in the graph. */
function findHidden(graph: Graph | undefined, resource: ResourceKey | null): string {
  if (graph === undefined || resource === null || findResourceNode(graph, resource) !== undefined) return '';
  return formatResourceFind(resource) ?? '';
}

interface PictureProps {
  readonly graph: Graph;
  /** The request whose path is highlighted; undefined: none, or it is being loaded. */
  readonly explanation: Explanation | undefined;
}

function Picture({ graph, explanation }: PictureProps) {
  const { transform: kept, snapshotAt, subject } = useClientViewData();
  const { query, setQuery, resource } = useClientViewQuery(graphParams);
  const own = useMemo(() => parseTransform(query.view), [query.view]);
  const transform = own ?? kept.current;
  useEffect(() => {
    if (own !== null) kept.current = own;
  }, [own, kept]);
  const keepTransform = useCallback(
    (next: View['transform']) => {
      kept.current = next;
      setQuery({ view: next === undefined ? '' : formatTransform(next) });
    },
    [kept, setQuery],
  );
  const change = useCallback(
    (next: Partial<TopologyPanelState>, history: 'push' | 'replace' = 'push') => {
      const { selected, ...others } = next;
      if (selected === undefined) return setQuery(others);
      const node = selected === null ? undefined : graph.nodes.find(({ id }) => id === selected);
      const key =
        node === undefined || node.typeUrl === undefined || node.resourceName === undefined
          ? null
          : { typeUrl: node.typeUrl, name: node.resourceName };
      setQuery(
        {
          ...others,
          ...{ node: selected ?? '', resource: key === null ? '' : formatResourceRef(key), body: '' },
          field: key === null ? '' : (node?.fieldPath ?? ''),
        },
        history,
      );
    },
    [graph, setQuery],
  );

  const held = useInfiniteQuery(resourcePagesOptions(subject, queryOfType(LDS.typeUrl)));
  const listeners = useMemo(() => (held.data?.pages[0]?.items ?? []).map(({ name }) => name), [held.data]);

  const lit = useHighlights(graph);
  const passed = useMemo(() => explanation && findRequestPath(graph, explanation), [graph, explanation]);

  if ((lit?.graph ?? graph).nodes.length === 0 && graph.hidden === 0) {
    return (
      <EmptyState title="No resources">
        The client reports no resources: it has not subscribed to any, or all were removed.
      </EmptyState>
    );
  }
  // A resource that is opened elsewhere is selected at its own node.
  const isDrawn = graph.nodes.some(({ id }) => id === query.node);
  const selected = isDrawn ? query.node : (findResourceNode(graph, resource)?.id ?? null);
  return (
    <div className="min-h-0 flex-1 max-md:h-[75dvh] max-md:flex-none">
      <TopologyPanel
        graph={lit?.graph ?? graph}
        changes={lit?.changes}
        passed={passed}
        state={{ selected, ...query }}
        listeners={listeners}
        onStateChange={change}
        transform={transform}
        onTransform={keepTransform}
        stored={snapshotAt !== null}
      />
    </div>
  );
}

/** The graph with the changes since the compared time; undefined without a comparison, or while it loads. */
function useHighlights(graph: Graph): ReturnType<typeof markGraph> | undefined {
  const { client, subject, comparedSince } = useClientViewData();
  const { query } = useClientViewQuery(graphParams);
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
  // With the earlier graph, only the changed parts of a changed resource are highlighted.
  const before = useQuery({
    ...clientQuestionOptions({ clientId, at: since }, 'graph', graphQueryOf(query)),
    enabled,
  }).data;
  return useMemo(
    () => (enabled && changes !== undefined ? markGraph(graph, changes.items, before) : undefined),
    [enabled, graph, changes, before],
  );
}

interface RequestPathLineProps {
  readonly query: { readonly data: Explanation | undefined; readonly error: unknown };
}

/** The request whose path the graph highlights, and where it goes. */
function RequestPathLine({ query: { data, error } }: RequestPathLineProps) {
  const { basePath } = useClientViewData();
  const { query: asked, setQuery } = useClientViewQuery(graphParams);
  const search = useSearchParams().toString();
  return (
    <section
      aria-label="Path of the request"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1"
    >
      {data === undefined ? (
        <p className="min-w-0 flex-1 wrap-anywhere">
          {error === null ? 'Explaining the request ...' : messageOf(error)}
        </p>
      ) : (
        <>
          <GlyphMark shape={shapeOfOutcome(data.branches.length > 1 ? undefined : data.outcome.kind)} />
          <p className="min-w-0 flex-[1_1_14rem] wrap-anywhere">
            <span className="font-mono text-medium">{asked.request}</span> {data.outcome.sentence}
          </p>
        </>
      )}
      <Link
        href={`${basePath}/explain${search === '' ? '' : `?${search}`}`}
        prefetch={false}
        className="inline-flex min-h-6 items-center link-hover"
      >
        Show the steps
      </Link>
      <CloseButton label="Highlight no request" onClose={() => setQuery({ request: '' }, 'push')} />
    </section>
  );
}
