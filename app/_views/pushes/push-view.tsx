'use client';

import Link from 'next/link';
import { useState } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import type { QuestionInput } from '@/app/_ask/question';
import { useQuestion } from '@/app/_ask/use-question';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { BodyDiff } from '@/app/_components/inspector/body-diff';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { pushHref } from '@/app/_components/push-href';
import { QueryContent } from '@/app/_components/query-content';
import { SelectField } from '@/app/_components/select-field';
import type { Extent } from '@/app/_hooks/extent';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatIsoTime } from '@/lib/format/iso-time';
import { describePushKind } from '@/lib/views/pushes/push-state';
import type { Convergence } from '@/lib/views/pushes/schema';
import { type ClientLine, clientColumns, narrowClientColumns } from './client-columns';
import { PushOutcomes } from './push-outcomes';
import { PushPictures } from './push-pictures';
import { PushSummary } from './push-summary';
import { serializePushes } from './search-params';

type ConvergenceQuery = Required<QuestionInput<'convergence'>> & Extent;

const rowId = ({ clientId }: ClientLine) => clientId;

/** One push: its answers, hops, difference, and each client. */
export function PushView({ params }: { readonly params: ConvergenceQuery }) {
  const { type, version, server, resource, hash, from, to } = params;
  const asked = { type, ...omitEmpty({ version, server, resource, hash }), from, to };
  const { data, error, refetch } = useQuestion('convergence', asked, { placeholderData: undefined });
  return (
    <>
      <Link href={serializePushes('/pushes', { from, to })} className="self-start link-quiet">
        ← All pushes
      </Link>
      <QueryContent query={{ data, error, refetch }} what="the push" rows={10}>
        {(data) => <Reported push={data} extent={{ from, to }} />}
      </QueryContent>
    </>
  );
}

function Reported({ push, extent }: { readonly push: Convergence; readonly extent: Extent }) {
  const { subject, spread, clients, clientsLeftOut, firstAt } = push;
  const timeZone = useTimeZone();
  const isNarrow = useIsNarrow();
  const lines = clients.map((client): ClientLine => ({ ...client, subject, firstAt }));
  const mark = describePushKind(push);
  const name = subject.name ?? subject.version;
  return (
    <>
      <Panel
        title={`${subject.service} ${name}${mark === '' ? '' : `, ${mark}`}`}
        vantage={vantageOf(push, timeZone)}
        className="shrink-0"
      >
        <PushSummary push={push} />
        <PushContext push={push} extent={extent} />
      </Panel>
      <Panel
        title="Clients"
        vantage="as taps, probes, CSDS and the admin interface report them"
        partial={clientsLeftOut > 0 ? `${formatCounted(clientsLeftOut, 'more client')} not shown` : ''}
        className="shrink-0"
        flush
      >
        <DataTable
          label={`Clients: ${spread.accepted} of ${spread.total} ACKed`}
          rows={lines}
          columns={isNarrow ? narrowClientColumns : clientColumns}
          rowId={rowId}
          isSorted
          rowHeightPx={48}
          className="max-h-96 min-h-32"
          empty={<EmptyState title="No client subscribes to it" />}
        />
      </Panel>
      <PushChangesPanel push={push} />
      <PushOutcomes push={push} />
      <Panel
        title="Hops and distribution"
        vantage="from the first observation of the push"
        className="shrink-0"
      >
        <PushPictures push={push} />
      </Panel>
    </>
  );
}

function vantageOf({ subject, firstAt, firstAfter }: Convergence, timeZone: string): string {
  const at = formatExactTime(firstAt, timeZone);
  const polled = firstAfter === undefined ? '' : ', by a poll: it may be older';
  return `${subject.server === undefined ? 'server not reported' : `from ${subject.server}`}; first seen ${at}${polled}`;
}

/** The difference of each resource to what a client had before. */
function PushChangesPanel({ push }: { readonly push: Convergence }) {
  const { changes, removed, nameCount } = push;
  const changed = changes.filter(({ hash, before }) => before !== undefined && before.hash !== hash);
  const unknown = changes.filter(({ before }) => before === undefined).length;
  const [chosen, setChosen] = useState('');
  const shown = changed.find(({ name }) => name === chosen) ?? changed[0];
  if (changes.length === 0 && removed.length === 0) return null;
  const partial = [
    unknown === 0 ? '' : `what clients had before of ${formatCounted(unknown, 'resource')} is not recorded`,
    nameCount > changes.length ? `${changes.length} of ${nameCount} resources compared` : '',
  ].filter((text) => text !== '');
  return (
    <Panel
      title="Difference to the version before"
      vantage="as one client received it"
      partial={partial.join('; ')}
      className="shrink-0"
    >
      <div className="flex flex-col gap-2">
        {removed.length > 0 && (
          <p className="text-medium break-words">
            Deleted: <span className="font-mono text-small">{removed.slice(0, 20).join(', ')}</span>
            {removed.length > 20 && ` and ${removed.length - 20} more`}
          </p>
        )}
        {changed.length > 1 && (
          <SelectField
            label="Resource"
            className="max-w-md"
            value={shown?.name ?? ''}
            options={changed.map(({ name }) => ({ value: name, label: name }))}
            onChange={setChosen}
          />
        )}
        {shown !== undefined && (
          <BodyDiff
            key={shown.name}
            name={shown.name}
            beforeHash={shown.before?.hash}
            afterHash={shown.hash}
            className="max-h-72"
          />
        )}
        {shown === undefined && removed.length === 0 && unknown < changes.length && (
          <p className="note">The contents are equal.</p>
        )}
      </div>
    </Panel>
  );
}

/** Clients that are not counted, other pushes of the same resource or version, and what may be missing. */
function PushContext({ push, extent }: { readonly push: Convergence; readonly extent: Extent }) {
  const { subject, spread, names, nameCount, contents, otherServers, notes } = push;
  const { counts } = spread;
  const uncounted = [
    [counts['passed-over'], 'ACKed a newer version without it'],
    [counts.already, 'had the content already'],
    [counts.different, 'have content of their own'],
    [counts['joined-later'], 'joined later'],
    [counts.left, 'unsubscribed'],
  ] as const;
  const listed = uncounted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return (
    <div className="mt-3 flex flex-col gap-1.5 text-medium">
      {listed.length > 0 && <p className="text-muted">Not counted: {listed.join(', ')}.</p>}
      {subject.name === undefined && names.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Resources</span>
          {names.slice(0, 12).map((name) => (
            <Link
              key={name}
              href={pushHref({ ...subject, name, hash: undefined }, extent)}
              className="min-w-0 link-hover"
            >
              <NameText name={name} />
            </Link>
          ))}
          {nameCount > 12 && <span className="text-muted">and {nameCount - 12} more</span>}
        </div>
      )}
      {contents.length > 1 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Content versions, newest first</span>
          {contents.slice(0, 12).map(({ hash, version, firstAt, isThis }) => (
            <Link
              key={firstAt}
              href={pushHref({ ...subject, hash }, extent)}
              aria-current={isThis ? 'true' : undefined}
              title={`${hash}, first seen ${formatIsoTime(firstAt)}`}
              className={isThis ? 'font-semibold' : 'text-accent hover:underline'}
            >
              <NameText name={version === '' ? hash.slice(0, 8) : version} />
            </Link>
          ))}
        </div>
      )}
      {otherServers.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-muted">Other servers that use the same version:</span>
          {otherServers.map((server) => (
            <Link key={server} href={pushHref({ ...subject, server }, extent)} className="link-quiet">
              <NameText name={server} />
            </Link>
          ))}
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="text-timeout">
          {note}
        </p>
      ))}
    </div>
  );
}
