'use client';

import { openIssues } from '@/app/_ask/common-questions';
import { useQuestion } from '@/app/_ask/use-question';
import { LinkTabs } from '@/app/_components/link-tabs';
import { SilentSources } from '@/app/_components/silent-sources';
import { StatusMark } from '@/app/_components/status-mark';
import { useIsHydrated } from '@/app/_hooks/use-is-hydrated';
import { formatCounted } from '@/lib/format/count';

/** The tabs of the fleet, which keep the filter, below the sources that do not respond. */
export function FleetTabs({
  current,
  filter,
}: {
  readonly current: 'list' | 'cohorts' | 'identity' | 'sizes';
  readonly filter: string;
}) {
  const isHydrated = useIsHydrated();
  const query = filter === '' ? '' : `?q=${encodeURIComponent(filter)}`;
  return (
    <>
      <SilentSources />
      <LinkTabs
        label="Fleet"
        tabs={[
          {
            href: `/clients${query}`,
            label: 'Clients',
            description: 'One row for each client, one column for each resource type.',
            isCurrent: current === 'list',
          },
          {
            href: `/clients/cohorts${query}`,
            label: 'Cohorts',
            description: 'Groups of clients with identical config, and what the others have in common.',
            isCurrent: current === 'cohorts',
          },
          {
            href: `/clients/sizes${query}`,
            label: 'Sizes',
            description: 'The size of the config of each client, and the resources that make it up.',
            isCurrent: current === 'sizes',
          },
          {
            href: '/clients/identity',
            label: 'Certificates',
            description: 'TLS certificates of clients by expiry, with the secrets that carry them (SDS).',
            isCurrent: current === 'identity',
            badge: isHydrated && <CertificateIssues />,
          },
        ]}
      />
    </>
  );
}

function CertificateIssues() {
  const { data: issues } = useQuestion('issues', openIssues);
  const found = issues?.items.filter(({ kind }) => kind === 'certificate') ?? [];
  if (found.length === 0) return null;
  const isUrgent = found.some(({ impact }) => impact.level === 'tls-fails');
  return (
    <StatusMark
      status={isUrgent ? 'NACKED' : 'TIMEOUT'}
      word={formatCounted(found.length, 'issue')}
      sizePx={9}
      className="text-tiny"
    />
  );
}
