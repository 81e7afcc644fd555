import { notFound } from 'next/navigation';
import { createLoader, type SearchParams } from 'nuqs/server';
import { answerKey } from '@/app/_ask/client-question';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { getRuntime } from '@/server/index';
import { FindingsTab } from '../_view/findings-tab';
import { isKnownClient } from '../is-known-client';
import { clientViewParsers, findingsParamsOf } from '../search-params';

interface FindingsPageProps {
  readonly params: Promise<{ readonly clientId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadQuery = createLoader(clientViewParsers({}));

export default async function FindingsPage({ params, searchParams }: FindingsPageProps) {
  const { clientId } = await params;
  const { api } = getRuntime();
  if (!(await isKnownClient(clientId))) notFound();
  const view = await loadQuery(searchParams);
  const query = findingsParamsOf(view);
  // Data of an earlier time is loaded by the browser.
  const findings = view.at === '' ? await api.askClient('findings', { clientId }, query) : undefined;
  return (
    <Prefetched data={[[answerKey({ clientId }, 'findings', query), findings]]}>
      <FindingsTab />
    </Prefetched>
  );
}
