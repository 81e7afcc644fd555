import type { QueryKey } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { findShownField, type NackUrl, nackViewParams } from '@/app/_views/nacks/group-search-params';
import { listBodyViews } from '@/lib/views/nacks/list-body-views';
import type { NackDetail } from '@/lib/views/nacks/schema';
import { bodyFieldKey, bodyQuestion } from '../../../_ask/body-question';
import { prefetchAnswer } from '../../../_ask/prefetch-answer';
import { findFieldRange } from '../../../_components/inspector/find-field-range';
import { maxPlainLength } from '../../../_components/inspector/max-plain-length';
import { Prefetched } from '../../../_components/shell/prefetched';
import { NackGroupPage } from './client';

export const metadata: Metadata = { title: 'NACK' };
export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ readonly groupId: string }>;
  readonly searchParams: Promise<SearchParams>;
}

const loadUrl = createLoader(nackViewParams);

export default async function Page({ params, searchParams }: PageProps) {
  const { groupId } = await params;
  const detail = await prefetchAnswer('nacks/{groupId}', { groupId });
  const [, nack] = detail;
  return (
    <Prefetched
      data={[detail, ...(nack === undefined ? [] : await readShownBody(nack, await loadUrl(searchParams)))]}
    >
      <NackGroupPage groupId={groupId} />
    </Prefetched>
  );
}

/** The content that the page shows first, and the place of its marked field. The browser fetches a long content. */
async function readShownBody(nack: NackDetail, url: NackUrl): Promise<(readonly [QueryKey, unknown])[]> {
  const views = listBodyViews(nack);
  const view = views.find(({ value }) => value === url.body) ?? views[0];
  if (view?.kind !== 'body') return [];
  const { hash } = view;
  const format = url.format === 'json' ? 'json' : 'yaml';
  const answer = await prefetchAnswer('resources/{hash}', bodyQuestion(hash, format));
  const [, body] = answer;
  if (body === undefined || body.text.length > maxPlainLength) return [];
  const field = findShownField(nack, url);
  return [answer, [bodyFieldKey(hash, format, field), (await findFieldRange(body.text, field)) ?? null]];
}
