'use client';

import { useCallback, useId } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import type { LbTree } from '@/lib/api/lb-tree';
import { explainProfile, profileOfClient } from '@/lib/resolve/client-profile';
import { nameOf } from '@/lib/xds/profile';
import { startsParamsOf } from '../../client-views';
import { StartBox } from '../resolved/start-box';
import { useClientViewQuery } from '../use-client-view-query';

/** Changes refer to endpoints of one cluster. */
const fromTheStart = { changes: '', second: 0, policy: '' } as const;

export function FailoverChooser({ tree }: { readonly tree: LbTree | undefined }) {
  const { client } = useClientViewData();
  const { query, setQuery } = useClientViewQuery();
  const starts = useQuestion('resolved', startsParamsOf(query, ''));
  const { profile, reason } = explainProfile(query.profile || undefined, client);
  const start = query.target || query.listener || (tree?.listener ?? '');
  const chooseStart = useCallback(
    (chosen: { readonly listener: string; readonly target: string }) =>
      setQuery({ ...chosen, cluster: '', ...fromTheStart }, 'push'),
    [setQuery],
  );
  return (
    <fieldset
      aria-label="Traffic"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
    >
      <StartBox key={start} current={start} first={starts.data} onChoose={chooseStart} />
      <ClusterBox tree={tree} onChoose={(cluster) => setQuery({ cluster, ...fromTheStart }, 'push')} />
      <ProfileChoice
        profile={profile}
        onChange={(value) =>
          setQuery({ profile: value === profileOfClient(client) ? '' : value, policy: '' })
        }
      />
      <p className="min-w-0 flex-[1_1_14rem] note break-words">
        {nameOf(profile)}: {reason}
      </p>
    </fieldset>
  );
}

interface ClusterBoxProps {
  readonly tree: LbTree | undefined;
  readonly onChoose: (cluster: string) => void;
}

/** A list of clusters; if it is cut, a name can be typed. */
function ClusterBox({ tree, onChoose }: ClusterBoxProps) {
  const id = useId();
  const names = tree?.clusters.items ?? [];
  const current = tree?.cluster ?? '';
  const isListed = names.includes(current) || current === '';
  const hidden = (tree?.clusters.total ?? 0) - names.length;
  return (
    <div className="flex h-8 min-w-0 flex-[1_1_14rem] items-center gap-2 rounded-md border border-line-strong bg-raised pl-2.5 md:max-w-xs">
      <label htmlFor={id} className="note">
        Cluster
      </label>
      {hidden > 0 ? (
        <input
          id={id}
          key={current}
          defaultValue={current}
          list={`${id}-names`}
          title={`${hidden} more clusters: type the name`}
          onChange={({ target }) => {
            if (names.includes(target.value)) onChoose(target.value);
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') onChoose(currentTarget.value.trim());
          }}
          className="h-full min-w-0 flex-1 bg-transparent font-mono text-medium"
        />
      ) : (
        <select
          id={id}
          value={current}
          onChange={({ target }) => onChoose(target.value)}
          className="h-full min-w-0 flex-1 rounded-r-md bg-raised font-mono text-medium"
        >
          {!isListed && <option value={current}>{current}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      <datalist id={`${id}-names`}>
        {hidden > 0 && names.map((name) => <option key={name} value={name} />)}
      </datalist>
    </div>
  );
}
