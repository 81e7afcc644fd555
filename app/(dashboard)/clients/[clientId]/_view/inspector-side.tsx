'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Inspector } from '@/app/_components/inspector/inspector';
import { TruthSection } from '@/app/_components/truth/truth-section';
import type { ResourceKey } from '@/lib/observation/observation';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { questionAbout } from '@/lib/view-model/client-resources/resource-question';
import { useClientViewData } from './client-view-data';
import { useClientViewQuery } from './use-client-view-query';

/** The inspector over this view's data: it opens what the URL names. */
export function InspectorSide({ resource }: { readonly resource: ResourceKey }) {
  const { client, resourcePagesQuery, frozenAt, linksQuery, findingsQuery } = useClientViewData();
  const { query, setQuery, openResource } = useClientViewQuery();
  const links = useQuery(linksQuery(resource));
  const profile = query.profile === '' ? profileOfClient(client) : query.profile;
  const findings = useQuery(findingsQuery({ ...resource, profile }));
  const found = useInfiniteQuery(resourcePagesQuery(questionAbout(resource)));
  const row = found.data?.pages[0]?.items[0];
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <Inspector
      resource={resource}
      row={row}
      isLoading={found.data === undefined && !found.isError}
      client={client}
      frozenAt={frozenAt}
      links={links}
      findings={findings}
      truth={
        frozenAt === null ? <TruthSection clientId={client.id} resource={resource} at={query.at} /> : null
      }
      profile={profile}
      onProfileChange={(chosen) => setQuery({ profile: chosen })}
      view={query}
      onViewChange={setQuery}
      onOpen={openResource}
      onClose={close}
    />
  );
}
