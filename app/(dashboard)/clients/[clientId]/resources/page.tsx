import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Prefetched } from '@/app/_components/shell/prefetched';
import {
  clientResourceCountsQuery,
  clientResourcePagesQuery,
  rowsPerPage,
} from '@/app/_hooks/resource-pages-queries';
import { resourceSort } from '@/lib/api/resource-pages';
import { formatResourceSort } from '@/lib/view-model/client-resources/resource-question';
import { getRuntime } from '@/server/index';
import { ResourcesTab } from '../_view/resources-tab';
import { isKnownClient } from '../is-known-client';
import { clientViewParsers, resourceQuestionOf } from '../search-params';

interface ResourcesPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function ResourcesPage({ params, searchParams }: ResourcesPageProps) {
  const { clientId } = await params;
  const query = await loadQuery(searchParams);
  const question = resourceQuestionOf(query);
  const { sort, ...filter } = question;
  const asked = {
    type: query.type,
    status: query.status,
    q: question.text,
    limit: rowsPerPage,
    sort: resourceSort.optional().catch(undefined).parse(formatResourceSort(sort)),
  };
  // Of the past the page asks by itself.
  const page =
    query.at === '' ? await getRuntime().api.askClient('resources', { clientId }, asked) : undefined;
  if (page === undefined && !(await isKnownClient(clientId))) notFound();
  const pages = page && { pages: [page], pageParams: [null] };
  return (
    <Prefetched
      data={[
        [clientResourcePagesQuery(clientId, question).queryKey, pages],
        [clientResourceCountsQuery(clientId, filter).queryKey, page && { ...page, items: [] }],
      ]}
    >
      <ResourcesTab />
    </Prefetched>
  );
}
