'use client';

import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { useDeferredValue } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { clientHref } from '@/app/_components/client-href';
import { NameText } from '@/app/_components/name-text';
import { TimeAgo } from '@/app/_components/time-ago';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { FleetTabs } from '@/app/_views/fleet/fleet-tabs';
import { identityPerPage, identityQuestion, identitySearchParams } from '@/app/_views/fleet/search-params';
import { formatCount } from '@/lib/format/count';
import type { IdentityItem, IdentityKind } from '@/lib/views/identity/schema';
import { CertificatesPanel } from '../../../../_components/certificates/certificates-panel';
import { EmptyState } from '../../../../_components/empty-state';
import { ListToolbar } from '../../../../_components/list-toolbar';
import { Panel } from '../../../../_components/panel';
import { QueryContent } from '../../../../_components/query-content';
import { PageBody } from '../../../../_components/shell/page-body';
import { PageHead } from '../../../../_components/shell/page-head';

const nothing: Readonly<Record<IdentityKind, { readonly title: string; readonly text: string }>> = {
  duplicate: {
    title: 'No duplicate node IDs',
    text: 'Each node ID is reported for one client, and all sources agree about it.',
  },
  changed: {
    title: 'No node changed',
    text: 'Every node ID has kept its cluster, locality, user agent and metadata.',
  },
  vanished: {
    title: 'No disconnected clients',
    text: 'Every client that was ever reported is still reported.',
  },
};

export function IdentityPage() {
  useLiveStream('fleet');
  const [{ kind, q, from }, setParams] = useQueryStates(identitySearchParams, {
    history: 'replace',
    throttleMs: 200,
  });
  const text = useDeferredValue(q);
  const { data, error, refetch } = useQuestion('identity', identityQuestion(kind, text, from));
  const label = (name: string, count: number | undefined) =>
    count === undefined ? name : `${name} ${formatCount(count)}`;
  return (
    <PageBody>
      <PageHead
        title="Clients"
        vantage="certificates and node IDs, as clients and control planes report them"
      />
      <FleetTabs current="identity" filter="" />
      <CertificatesPanel showsNothing />
      <ListToolbar
        choice={{
          label: 'Which clients',
          value: kind,
          options: [
            { value: 'duplicate', label: label('Duplicate node ID', data?.counts.duplicate) },
            { value: 'changed', label: label('Changed', data?.counts.changed) },
            { value: 'vanished', label: label('Disconnected', data?.counts.vanished) },
          ],
          onChange: (next) => setParams({ kind: next, from: null }),
        }}
        search={{
          label: 'Part of the node ID',
          placeholder: 'part of the node ID',
          value: q,
          onChange: (next) => setParams({ q: next === '' ? null : next, from: null }),
          className: 'w-full md:w-72',
        }}
        pager={
          data && {
            label: 'clients',
            offset: from,
            limit: identityPerPage,
            total: data.total,
            onChange: (next) => setParams({ from: next }),
          }
        }
        className=""
      />
      <Panel title={titles[kind]} vantage={vantages[kind]} flush>
        <QueryContent query={{ data, error, refetch }} what="the identities" rows={4}>
          {(data) => <Items items={data.items} kind={kind} isFiltered={text !== ''} />}
        </QueryContent>
      </Panel>
    </PageBody>
  );
}

const titles: Readonly<Record<IdentityKind, string>> = {
  duplicate: 'Shared node IDs',
  changed: 'Node IDs whose node changed',
  vanished: 'Disconnected clients',
};
const vantages: Readonly<Record<IdentityKind, string>> = {
  duplicate: 'current state',
  changed: 'each source compared with its earlier reports, newest first',
  vanished: 'newest first; their recorded config is kept',
};

interface ItemsProps {
  readonly items: readonly IdentityItem[];
  readonly kind: IdentityKind;
  readonly isFiltered: boolean;
}

function Items({ items, kind, isFiltered }: ItemsProps) {
  if (items.length > 0) return <IdentityList items={items} />;
  if (isFiltered) return <EmptyState title="No node ID matches" />;
  const { title, text } = nothing[kind];
  return <EmptyState title={title}>{text}</EmptyState>;
}

function IdentityList({ items }: { readonly items: readonly IdentityItem[] }) {
  return (
    <ul className="divide-y divide-line">
      {items.map(({ clientId, nodeId, scope, at, text, sources }) => (
        <li key={`${clientId} ${text}`} className="flex flex-col gap-0.5 px-4 py-2.5">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <Link href={clientHref(clientId)} className="min-w-0 font-medium link-hover">
              <NameText name={nodeId} />
              {scope !== '' && <span className="note"> {scope}</span>}
            </Link>
            {at !== undefined && <TimeAgo at={at} className="note" />}
          </p>
          <p className="text-medium break-words">{text}</p>
          <p className="flex min-w-0 flex-wrap gap-x-2 text-tiny text-muted">
            reported by
            {sources.slice(0, 6).map((source) => (
              <NameText key={source} name={source} />
            ))}
            {sources.length > 6 && `and ${sources.length - 6} more`}
          </p>
        </li>
      ))}
    </ul>
  );
}
