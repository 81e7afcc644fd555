'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { resourcePagesOptions } from '@/app/_ask/resource-pages';
import { useQuestion } from '@/app/_ask/use-question';
import { CertificatesSection } from '@/app/_components/inspector/certificates-section';
import { HostsSection } from '@/app/_components/inspector/hosts-section';
import { Inspector } from '@/app/_components/inspector/inspector';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { namedProfile } from '@/lib/resolve/client-profile';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import { queryOfResource } from '@/lib/views/resources/resource-question';
import { CDS, EDS, SDS } from '@/lib/xds/resource-type';
import { PropagationSection } from './propagation-section';
import { useClientViewQuery } from './use-client-view-query';

export function ResourceInspector({ resource }: { readonly resource: ResourceKey }) {
  const { client, subject, snapshotAt } = useClientViewData();
  const hasPropagation = useHasHistoryOf('propagation');
  const { query, setQuery, openResource } = useClientViewQuery();
  const links = useQuestion('links', resource);
  const profile = namedProfile(query.profile || undefined, client);
  const findings = useQuestion('findings', { ...resource, profile });
  const found = useInfiniteQuery(resourcePagesOptions(subject, queryOfResource(resource)));
  const row = found.data?.pages[0]?.items[0];
  // Certificates are those of the newest reports.
  const isNow = snapshotAt === null && client.moment === undefined;
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <Inspector
      resource={resource}
      row={row}
      isLoading={found.data === undefined && !found.isError}
      client={client}
      snapshotAt={snapshotAt}
      links={links}
      findings={findings}
      propagation={hasPropagation ? <PropagationSection resource={resource} /> : null}
      ofType={
        resource.typeUrl === SDS.typeUrl ? (
          isNow && <CertificatesSection clientId={client.id} secret={resource.name} />
        ) : (
          <Hosts resource={resource} usedBy={links.data?.usedBy ?? none} />
        )
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

const none: ResourceLinks['usedBy'] = [];

interface HostsProps extends Pick<ResourceLinks, 'usedBy'> {
  readonly resource: ResourceKey;
}

/** Envoy reports hosts by cluster: the name of the endpoints, or of a cluster that uses them. */
function Hosts({ resource: { typeUrl, name }, usedBy }: HostsProps) {
  const { client } = useClientViewData();
  if (!client.types.some((type) => type.typeUrl === hostHealthTypeUrl)) return null;
  if (typeUrl === CDS.typeUrl || typeUrl === hostHealthTypeUrl) return <HostsOf cluster={name} />;
  if (typeUrl !== EDS.typeUrl) return null;
  const clusters = new Set([
    name,
    ...usedBy.filter((link) => link.typeUrl === CDS.typeUrl).map((link) => link.name),
  ]);
  return [...clusters].slice(0, mostClusters).map((cluster) => <HostsOf key={cluster} cluster={cluster} />);
}

/** Each cluster of equal endpoints has health checks of its own. */
const mostClusters = 3;

function HostsOf({ cluster }: { readonly cluster: string }) {
  const { subject } = useClientViewData();
  const query = queryOfResource({ typeUrl: hostHealthTypeUrl, name: cluster });
  const { data } = useInfiniteQuery(resourcePagesOptions(subject, query));
  const row = data?.pages[0]?.items[0];
  return row === undefined ? null : <HostsSection row={row} />;
}
