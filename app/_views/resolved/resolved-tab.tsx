'use client';

import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { SplitView } from '@/app/_components/inspector/split-view';
import { loadOnInput } from '@/app/_components/load-on-input';
import { NameText } from '@/app/_components/name-text';
import { PopoverButton } from '@/app/_components/popover-button';
import { QueryContent } from '@/app/_components/query-content';
import { saveFile } from '@/app/_components/save-file';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { typeColumn } from '@/app/_components/type-column';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useClientViewQuery } from '@/app/_views/client/use-client-view-query';
import { formatCount, formatCounted } from '@/lib/format/count';
import { firstPages } from '@/lib/views/fields/table-pages';
import { formatWitnesses, type WitnessFormat, witnessFormats } from '@/lib/views/resolved/format-witnesses';
import type { MissingItem, ReferenceListKind, Resolved } from '@/lib/views/resolved/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { clientOf } from '@/lib/xds/profile';
import { InspectorSide } from '../client/inspector-side';
import { StartChooser } from '../client/start-chooser';
import { useAskTears } from '../client/use-ask-tears';
import { RequestBar } from '../explain/request-bar';
import { explainParams } from '../explain/search-params';
import { IgnoredTable } from './ignored-table';
import { keyed } from './keyed';
import { ReferencesTable, titles } from './references-table';
import { ResolvedChain } from './resolved-chain';
import { ResolvedClusters } from './resolved-clusters';
import { ResolvedSection } from './resolved-section';
import { ResolvedVerdict } from './resolved-verdict';
import { resolvedParams, resolvedQueryOf, witnessesQueryOf } from './search-params';
import { TearsList } from './tears-list';
import { useShowMore } from './use-show-more';

const ClusterSide = dynamic(() => import('./cluster-side').then(({ ClusterSide }) => ClusterSide));
loadOnInput(() => import('./cluster-side'));

/** Another config starts at the first page. */
const firstPage = { offset: 0, hosts: firstPages, routes: firstPages, cluster: '' } as const;

const typingPauseMs = 300;

export function ResolvedTab() {
  const { query, setQuery, resource, openResource } = useClientViewQuery(resolvedParams);
  const clusters = useDebounced(query.clusters, typingPauseMs);
  const answer = useQuestion('resolved', resolvedQueryOf({ ...query, clusters }));
  const close = useCallback(() => {
    // The resource covers the cluster that led to it.
    if (resource !== null) openResource(null);
    else setQuery({ cluster: '' }, 'push');
  }, [resource, openResource, setQuery]);
  // The listener stays when its problem ends, or another one begins.
  const { start, startsTotal = 0 } = answer.data ?? {};
  const isAnswered = !answer.isPlaceholderData && startsTotal > 1;
  const isToKeep = isAnswered && query.listener === '' && query.target === '';
  const found = isToKeep ? start?.listener : undefined;
  useEffect(() => {
    if (found !== undefined) setQuery({ listener: found });
  }, [found, setQuery]);
  const side =
    resource !== null ? (
      <InspectorSide resource={resource} />
    ) : query.cluster !== '' ? (
      <ClusterSide name={query.cluster} onClose={close} />
    ) : null;
  return (
    <SplitView side={side} onClose={close}>
      <div className="@container relative min-h-0 flex-1 overflow-y-auto">
        <ExplainBar />
        <StartChooser
          label="What is resolved"
          query={query}
          first={answer.data}
          onStart={(start) => setQuery({ ...start, ...firstPage }, 'push')}
          onProfile={(profile) => setQuery({ ...profile, ...firstPage })}
        />
        <QueryContent
          query={answer}
          what="the effective config"
          rows={10}
          hint="Choose another listener or target above."
        >
          {(data) => <Answer resolved={data} isNext={answer.isPlaceholderData} />}
        </QueryContent>
      </div>
    </SplitView>
  );
}

/** A request that is typed here is explained at the same listener. */
function ExplainBar() {
  const { basePath } = useClientViewData();
  const { query } = useClientViewQuery(explainParams);
  const router = useRouter();
  return (
    <RequestBar
      texts={query}
      isShort
      onChoose={(texts) => {
        const search = new URLSearchParams(window.location.search);
        for (const [name, text] of Object.entries(texts)) search.set(name, text);
        router.push(`${basePath}/explain?${search}`);
      }}
    />
  );
}

interface AnswerProps {
  readonly resolved: Resolved;
  /** The data is of the previous request while the next one is loading. */
  readonly isNext: boolean;
}

function Answer({ resolved, isNext }: AnswerProps) {
  if (resolved.status === 'nothing') {
    return (
      <EmptyState title="No listener">
        The effective config starts at a listener, and none is reported.
        {clientOf(resolved.profile) !== 'envoy' && ' A target can still be typed above.'}
      </EmptyState>
    );
  }
  return (
    <div aria-busy={isNext}>
      <ResolvedVerdict resolved={resolved} />
      {resolved.missing.length > 0 && <MissingList resolved={resolved} />}
      <ResolvedChains resolved={resolved} />
      <ResolvedClusters resolved={resolved} />
      <ResolvedLists resolved={resolved} />
    </div>
  );
}

function MissingList({ resolved: { status, missing, missingTotal } }: { readonly resolved: Resolved }) {
  const { resource, openResource } = useClientViewQuery();
  const isNarrow = useIsNarrow();
  return (
    <ResolvedSection
      title={status === 'waiting' ? 'Waiting for' : 'Not known'}
      count={
        missing.length < missingTotal
          ? `the first ${formatCount(missing.length)} of ${formatCount(missingTotal)}`
          : formatCount(missingTotal)
      }
    >
      <DataTable
        label="Missing resources"
        rows={missing}
        columns={isNarrow ? narrowColumns : columns}
        rowId={rowId}
        selectedId={resource === null ? null : formatResourceRef(resource)}
        onActivate={openResource}
        detail={isNarrow ? narrowDetail : undefined}
        className="max-h-72 border-t border-line"
      />
    </ResolvedSection>
  );
}

/** Several resources may need the same one. */
const rowId = (row: MissingItem) => `${formatResourceRef(row)} ${row.neededBy}`;

type Column = DataColumn<MissingItem>;

const type: Column = typeColumn();

const name: Column = column('name', 'Name', (row) => row.name, {
  widthPx: 180,
  grows: true,
  nameOf: (row) => row.name,
  as: (text) => <NameText name={text} copy />,
});

const why: Column = column('why', 'Why', (row) => row.text, { as: 'text', widthPx: 190 });

const neededBy: Column = column('needed-by', 'Needed by', (row) => row.neededBy, {
  as: 'text',
  widthPx: 176,
  grows: false,
});

const since: Column = column('since', 'Since', (row) => row.since, {
  description: 'Last change of the resource’s state; none if no source reports it',
  as: 'ago',
  why: 'no source reports it',
  sortsDescendingFirst: false,
});

const columns = [type, name, why, neededBy, since];

const narrowColumns = [type, { ...name, widthPx: 140 }, since];

function narrowDetail(row: MissingItem) {
  return (
    <p className="note break-words">
      {row.text}; needed by {row.neededBy}
    </p>
  );
}

const chainsAtATime = 10;

function ResolvedChains({ resolved }: { readonly resolved: Resolved }) {
  const { chains, listener, start, dynamic } = resolved;
  const { shown, more } = useShowMore(chains, chainsAtATime);
  if (start === undefined || (listener === undefined && chains.length === 0)) return null;
  return (
    <ResolvedSection
      title="Chain"
      count={chains.length > 1 ? formatCounted(chains.length, 'filter chain') : undefined}
      actions={chains.some(({ virtualHostsTotal }) => virtualHostsTotal > 0) && <WitnessExport />}
    >
      <div className="flex flex-col gap-4 px-4 pb-4">
        {keyed(shown, ({ name }) => name).map(({ key, item, place }) => (
          <ResolvedChain
            key={key}
            chain={item}
            table={String(place - 1)}
            listener={place === 1 ? listener : undefined}
            start={start}
            isAlone={chains.length === 1}
          />
        ))}
        {more}
        {dynamic.length > 0 && (
          <div>
            <h3 className="note">Clusters chosen per request</h3>
            <ul>
              {dynamic.map(({ plugin, typeName, text }) => (
                <li key={`${plugin} ${typeName} ${text}`} className="break-words">
                  <span className="font-mono text-[0.9286em]">{plugin || typeName}</span>{' '}
                  <span className="text-muted">{text}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </ResolvedSection>
  );
}

/** Saves a request for each route, to check with other programs which route takes it. */
function WitnessExport() {
  return (
    <PopoverButton label="Witness requests" button="Witness requests">
      {() => <WitnessFormats />}
    </PopoverButton>
  );
}

function WitnessFormats() {
  const { query } = useClientViewQuery(resolvedParams);
  const answer = useQuestion('witnesses', witnessesQueryOf(query));
  return (
    <QueryContent query={answer} what="the witness requests" rows={3}>
      {(witnesses) => (
        <>
          <p className="note max-w-72">
            {formatCounted(witnesses.items.length, 'request')}, each of which one route of the effective
            config matches.
          </p>
          {(Object.keys(witnessFormats) as WitnessFormat[]).map((format) => (
            <Button
              key={format}
              onPress={() => {
                const blob = new Blob([formatWitnesses(witnesses, format)], { type: 'text/plain' });
                saveFile(blob, witnessFormats[format].fileName);
              }}
            >
              Save as {witnessFormats[format].label}
            </Button>
          ))}
        </>
      )}
    </QueryContent>
  );
}

/** Ignored fields, references or config tears: one list at a time. */
function ResolvedLists({ resolved }: { readonly resolved: Resolved }) {
  const askTears = useAskTears();
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  const dangling = useReferenceCount('dangling');
  const orphans = useReferenceCount('orphan');
  const dynamic = useReferenceCount('dynamic');
  const options = [
    { value: 'ignored', label: `Ignored ${formatCount(resolved.ignoredTotal)}` },
    { value: 'dangling', label: `${titles.dangling}${countOf(dangling)}` },
    { value: 'orphan', label: `${titles.orphan}${countOf(orphans)}` },
    ...(dynamic === 0 || dynamic === undefined
      ? []
      : ([{ value: 'dynamic', label: `${titles.dynamic}${countOf(dynamic)}` }] as const)),
    ...(askTears === null ? [] : ([{ value: 'tears', label: 'Config tears' }] as const)),
  ] as const;
  const warned = (
    [
      ['dangling', dangling],
      ['ignored', resolved.ignoredTotal],
      ['orphan', orphans],
    ] as const
  ).find(([, count = 0]) => count > 0);
  const list = options.find(({ value }) => value === query.list)?.value ?? warned?.[0] ?? 'ignored';
  return (
    <ResolvedSection
      title="Warnings"
      actions={
        <SegmentedChoice
          label="List"
          value={list}
          options={options}
          onChange={(value) => setQuery({ list: value, refs: 0 })}
        />
      }
    >
      {list === 'tears' && askTears !== null ? (
        <TearsList ask={askTears} />
      ) : list === 'dangling' || list === 'orphan' || list === 'dynamic' ? (
        <ReferencesTable key={list} kind={list} />
      ) : (
        <IgnoredTable resolved={resolved} />
      )}
    </ResolvedSection>
  );
}

function countOf(count: number | undefined): string {
  return count === undefined ? '' : ` ${formatCount(count)}`;
}

/** Counting reads every content, so it is done for larger clients on demand only. */
const countedUnasked = 5_000;

/** The number of missing references or unused resources; undefined: unknown. */
function useReferenceCount(kind: ReferenceListKind): number | undefined {
  const { client } = useClientViewData();
  const { query } = useClientViewQuery(resolvedParams);
  const enabled = client.resources <= countedUnasked || query.list === kind;
  return useQuestion('references', { kind, limit: 0 }, { enabled }).data?.total;
}
