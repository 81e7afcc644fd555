'use client';

import { useCallback, useState } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { ComboBox } from '@/app/_components/combo-box';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import { NameText } from '@/app/_components/name-text';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { formatCounted } from '@/lib/format/count';
import { formatSentence } from '@/lib/format/sentence';
import { choiceOfProfile, explainUsedProfile } from '@/lib/resolve/client-profile';
import type { LbTree } from '@/lib/views/failover/lb-tree-schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import { nameOf } from '@/lib/xds/profile';
import { CDS } from '@/lib/xds/resource-type';
import { resolveStartOf, startsQueryOf } from '../client/search-params';
import { StartBox } from '../client/start-box';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams, requestsOf } from './search-params';

const ofNewCluster = requestsOf('');

interface FailoverChooserProps {
  readonly tree: LbTree | undefined;
  readonly requests: FailoverSimulation['requests'];
}

export function FailoverChooser({ tree, requests }: FailoverChooserProps) {
  const { client } = useClientViewData();
  const { query, setQuery } = useClientViewQuery(failoverParams);
  const starts = useQuestion('resolved', startsQueryOf(query, ''));
  const { profile, reason } = explainUsedProfile(starts.data?.profile, query.profile || undefined, client);
  const current = query.cluster || (tree?.cluster ?? '');
  const start = query.target || query.listener || (tree?.listener ?? '');
  const chooseStart = useCallback(
    (chosen: { readonly listener: string; readonly target: string }) =>
      setQuery({ ...chosen, cluster: '', ...ofNewCluster }, 'push'),
    [setQuery],
  );
  return (
    <fieldset
      aria-label="Traffic"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
    >
      <StartBox key={start} current={start} first={starts.data} onChoose={chooseStart} />
      <ClusterBox
        key={`cluster ${current}`}
        current={current}
        tree={tree}
        onChoose={(cluster) => setQuery({ cluster, ...ofNewCluster }, 'push')}
      />
      {requests !== undefined && (
        <RequestsChoice requests={requests} onChange={(id) => setQuery(requestsOf(id), 'push')} />
      )}
      <ProfileChoice
        profile={profile}
        onChange={(value) => setQuery({ profile: choiceOfProfile(value, client), policy: '' })}
      />
      <p className="min-w-0 flex-[1_1_14rem] note break-words">
        {nameOf(profile)}: {reason}
      </p>
    </fieldset>
  );
}

/** An Envoy chooses a subset of the hosts by the metadata of the route. */
function RequestsChoice({
  requests: { chosen = '', items },
  onChange,
}: {
  readonly requests: NonNullable<FailoverSimulation['requests']>;
  readonly onChange: (id: string) => void;
}) {
  return (
    <label className="flex max-w-full min-w-0 items-center gap-1.5">
      <span className="note">Requests</span>
      <select
        value={chosen}
        onChange={(event) => onChange(event.target.value)}
        className="h-7 min-w-0 rounded-md border border-line-strong bg-raised px-2 text-small"
      >
        <option value="">All requests: the shares differ</option>
        {items.map(({ id, text }) => (
          <option key={id} value={id}>
            {formatSentence(text).slice(0, -1)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ClusterBoxProps {
  readonly current: string;
  readonly tree: LbTree | undefined;
  readonly onChoose: (cluster: string) => void;
}

/** Chooses a cluster of the config, by typing or from a list that typing narrows. */
function ClusterBox({ current, tree, onChoose }: ClusterBoxProps) {
  const [text, setText] = useState(current);
  const wanted = text === current ? '' : text.trim();
  const { names, total, isPending } = useClusterNames(tree?.clusters, wanted);
  const nothing = isPending ? 'Searching …' : wanted === '' ? 'No cluster.' : 'No cluster matches.';
  return (
    <ComboBox
      label="Cluster"
      word="Cluster"
      buttonLabel="Show the clusters"
      text={text}
      onText={setText}
      placeholder="part of the name"
      items={names}
      keyOf={(name) => name}
      empty={nothing}
      more={
        total > names.length
          ? `${formatCounted(total - names.length, 'cluster')} more: type part of the name`
          : undefined
      }
      onChoose={onChoose}
      onEnter={() => {
        if (wanted === '') return '';
        const exact = !isPending && names.length === 1 ? names[0] : names.find((name) => name === wanted);
        if (exact === undefined)
          return names.length === 0 ? nothing : `Choose one of ${formatCounted(total, 'cluster')}.`;
        onChoose(exact);
        return '';
      }}
      className="flex-[1_1_18rem] md:max-w-md"
    >
      {(name) => <NameText name={name} typeUrl={CDS.typeUrl} />}
    </ComboBox>
  );
}

const mostShown = 50;
const typingPauseMs = 300;

/** Clusters whose names contain the text, from the answer about the tree, or requested if that has only a part of them. */
function useClusterNames(listed: LbTree['clusters'] | undefined, text: string) {
  const { query } = useClientViewQuery(failoverParams);
  const find = useDebounced(text, typingPauseMs);
  const { items = [], total = 0 } = listed ?? {};
  const isCut = items.length < total && text !== '';
  const question = { ...resolveStartOf(query), find, limit: mostShown, endpoints: 0 };
  const { data } = useQuestion('resolved', question, { enabled: isCut && find !== '' });
  const isPending = listed === undefined || (isCut && (find !== text || data === undefined));
  if (isCut && !isPending && data !== undefined) {
    const { items: matches, total } = data.clusters;
    return { names: matches.map(({ name }) => name), total, isPending };
  }
  const found = items.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  return { names: found.slice(0, mostShown), total: text === '' ? total : found.length, isPending };
}
