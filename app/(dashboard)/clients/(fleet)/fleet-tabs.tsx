import { LinkTabs } from '../../../_components/link-tabs';
import { SilentSources } from '../../../_components/silent-sources';

/** The tabs of the fleet, which keep the filter, below the sources that do not respond. */
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
