import { LinkTabs } from '../../../_components/link-tabs';
import { SilentSources } from '../../../_components/silent-sources';

/** The same clients, one by one or by what they run; the filter goes along. Above them, which sources they lack. */
export function FleetTabs({
  current,
  filter,
}: {
  readonly current: 'list' | 'cohorts' | 'identity' | 'sizes';
  readonly filter: string;
}) {
  const query = filter === '' ? '' : `?q=${encodeURIComponent(filter)}`;
  return (
    <>
      <SilentSources />
      <LinkTabs
        label="Fleet"
        tabs={[
          { href: `/clients${query}`, label: 'Clients', isCurrent: current === 'list' },
          { href: `/clients/cohorts${query}`, label: 'Cohorts', isCurrent: current === 'cohorts' },
          { href: `/clients/sizes${query}`, label: 'Sizes', isCurrent: current === 'sizes' },
          { href: '/clients/identity', label: 'Identity', isCurrent: current === 'identity' },
        ]}
      />
    </>
  );
}
