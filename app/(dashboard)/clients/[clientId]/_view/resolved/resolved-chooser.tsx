'use client';

import { useCallback } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import type { Resolved } from '@/lib/api/resolved';
import { firstPages } from '@/lib/api/table-pages';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { errorModels, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { errorModelNames, explainProfile, profileNames } from '@/lib/view-model/resolved/profile-choice';
import { useClientViewQuery } from '../use-client-view-query';
import { StartBox } from './start-box';

const profileOptions = resolveProfiles.map((value) => ({ value, label: profileNames[value] }));
const errorOptions = errorModels.map((value) => ({ value, label: errorModelNames[value] }));

/** Another question begins at its first page. */
const firstPage = { offset: 0, hosts: firstPages, routes: firstPages, cluster: '' } as const;

/** Which listener, client profile. All of it is in the URL. */
export function ResolvedChooser({ resolved }: { readonly resolved: Resolved | undefined }) {
  const { client } = useClientViewData();
  const { query, setQuery } = useClientViewQuery();
  const guessed = profileOfClient(client);
  const profile = query.profile === '' ? guessed : query.profile;
  const chooseStart = useCallback(
    (start: { readonly listener: string; readonly target: string }) =>
      setQuery({ ...start, ...firstPage }, 'push'),
    [setQuery],
  );
  const current = query.target || query.listener || (resolved?.start?.listener ?? '');
  return (
    <fieldset
      aria-label="What is resolved"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
    >
      <StartBox
        // What was typed and not chosen goes with what it stood for.
        key={current}
        current={current}
        first={resolved}
        onChoose={chooseStart}
      />
      <SegmentedChoice
        label="Profile: client profile"
        value={profile}
        options={profileOptions}
        onChange={(value) => setQuery({ profile: value === guessed ? '' : value, ...firstPage })}
      />
      <span title="What a deletion does to what was cached. gRFC A53: it is dropped; gRFC A88: it stays in use.">
        <SegmentedChoice
          label="Error model"
          value={query.errors}
          options={errorOptions}
          onChange={(errors) => setQuery({ errors, ...firstPage })}
        />
      </span>
      <p className="min-w-0 flex-[1_1_14rem] text-[0.8571rem] break-words text-muted">
        {explainProfile(profile, client, query.profile !== '')}
      </p>
    </fieldset>
  );
}
