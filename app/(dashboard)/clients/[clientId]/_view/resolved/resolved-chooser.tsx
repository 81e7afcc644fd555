'use client';

import { useCallback } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import type { Resolved } from '@/lib/api/resolved';
import { firstPages } from '@/lib/api/table-pages';
import { explainProfile, profileOfClient } from '@/lib/resolve/client-profile';
import { nameOf } from '@/lib/xds/profile';
import { useClientViewQuery } from '../use-client-view-query';
import { resolvedParams } from './search-params';
import { StartBox } from './start-box';

/** Another config starts at the first page. */
const firstPage = { offset: 0, hosts: firstPages, routes: firstPages, cluster: '' } as const;

export function ResolvedChooser({ resolved }: { readonly resolved: Resolved | undefined }) {
  const { client } = useClientViewData();
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  const { profile, reason } = explainProfile(query.profile || undefined, client);
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
        // A new start discards the typed text.
        key={current}
        current={current}
        first={resolved}
        onChoose={chooseStart}
      />
      <ProfileChoice
        profile={profile}
        onChange={(value) =>
          setQuery({ profile: value === profileOfClient(client) ? '' : value, ...firstPage })
        }
      />
      <p className="min-w-0 flex-[1_1_14rem] note break-words">
        {nameOf(profile)}: {reason}
      </p>
    </fieldset>
  );
}
