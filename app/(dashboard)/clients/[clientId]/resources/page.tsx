import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { resourceCountsOptions, resourcePagesOptions, rowsPerPage } from '@/app/_ask/resource-pages';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { getRuntime } from '@/server/index';
import { ResourcesTab } from '../_view/resources-tab';
import { isKnownClient } from '../is-known-client';
import { clientViewParsers, rowsQueryOf } from '../search-params';

interface ResourcesPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function ResourcesPage({ params, searchParams }: ResourcesPageProps) {
  const { clientId } = await params;
  const query = await loadQuery(searchParams);
  const subject = { clientId };
  const rowsQuery = rowsQueryOf(query);
  // Data of an earlier time is loaded by the browser.
  const page =
    query.at === ''
      ? await getRuntime().api.askClient('resources', subject, { ...rowsQuery, limit: rowsPerPage })
      : undefined;
  if (page === undefined && !(await isKnownClient(clientId))) notFound();
  const pages = page && { pages: [page], pageParams: [null] };
  return (
    <Prefetched
      data={[
        [resourcePagesOptions(subject, rowsQuery).queryKey, pages],
        [resourceCountsOptions(subject, rowsQuery).queryKey, page && { ...page, items: [] }],
      ]}
    >
      <ResourcesTab />
    </Prefetched>
  );
}
