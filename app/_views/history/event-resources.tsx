'use client';

import { useState } from 'react';
import { BytesText } from '@/app/_components/bytes-text';
import { BodyDiff } from '@/app/_components/inspector/body-diff';
import type { BodyFormatTab } from '@/app/_components/inspector/body-format';
import { BodyText } from '@/app/_components/inspector/body-text';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCounted } from '@/lib/format/count';
import { isWholeType } from '@/lib/views/history/is-whole-type';
import type { HistoryDetail, HistoryEvent, HistoryResource } from '@/lib/views/history/schema';
import { clientStatuses } from '@/lib/xds/status';

const changeWords: Readonly<Record<HistoryResource['change'], string>> = {
  asked: 'subscribed',
  'let-go': 'unsubscribed',
  brought: 'received',
  changed: 'changed',
  rejected: 'rejected',
  removed: 'removed',
};

interface EventResourcesProps {
  readonly resources: HistoryDetail['resources'];
  readonly sourceKind: HistoryEvent['sourceKind'];
  /** The event's error text; null if it has none. */
  readonly shownError: string | undefined;
  readonly onPage: (offset: number) => void;
}

/** The resources of the event; each opens as content or as a diff. */
export function EventResources({ resources, sourceKind, shownError, onPage }: EventResourcesProps) {
  const { items, total, offset, limit } = resources;
  if (total === 0) return null;
  return (
    <section aria-label="Resources" className="flex flex-col">
      <div className="flex items-center">
        <h3 className="text-tiny text-muted">{formatCounted(total, 'resource')}</h3>
        <Pager label="resources" offset={offset} limit={limit} total={total} onChange={onPage} />
      </div>
      <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
        {items.map((item) => (
          <Resource
            key={`${item.change} ${item.typeUrl} ${item.name}`}
            item={item}
            sourceKind={sourceKind}
            saysError={item.errorText !== shownError}
          />
        ))}
      </ul>
    </section>
  );
}

type Opened = 'closed' | 'body' | 'diff' | 'before';

interface ResourceProps {
  readonly item: HistoryResource;
  readonly sourceKind: HistoryEvent['sourceKind'];
  readonly saysError: boolean;
}

function Resource({ item, sourceKind, saysError }: ResourceProps) {
  const [opened, setOpened] = useState<Opened>('closed');
  const [format, setFormat] = useState<BodyFormatTab>('yaml');
  const { service, name, change, hash, sizeBytes, versionInfo, clientStatus, errorText, before } = item;
  const status = clientStatuses.find((known) => known === clientStatus);
  const hasDiff = hash !== undefined && before !== undefined && before.hash !== hash;
  const shownHash = opened === 'before' ? before?.hash : hash;
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2 text-small">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="text-muted">{changeWords[change]}</span>
        <span className="text-muted">{service}</span>
        {isWholeType(sourceKind, name) ? (
          <span className="text-muted">(all resources)</span>
        ) : (
          <NameText name={name} copy />
        )}
        {status !== undefined && <StatusMark status={status} />}
        {versionInfo !== undefined && <span className="text-muted">version {versionInfo}</span>}
        {sizeBytes !== undefined && (
          <span className="text-muted">
            <BytesText sizeBytes={sizeBytes} />
          </span>
        )}
        {hash !== undefined && before !== undefined && before.hash === hash && (
          <span className="text-muted">unchanged</span>
        )}
        {(change === 'brought' || change === 'changed') && hash !== undefined && before === undefined && (
          <span className="text-muted">new</span>
        )}
      </p>
      {errorText !== undefined && saysError && (
        <p className="rounded bg-nacked/8 px-2 py-1 font-mono wrap-anywhere whitespace-pre-wrap">
          {errorText}
        </p>
      )}
      {(hash !== undefined || before !== undefined) && (
        <p className="flex flex-wrap gap-x-3">
          {hasDiff && (
            <Opener kind="diff" opened={opened} onChange={setOpened} word="What changed" name={name} />
          )}
          {hash !== undefined && (
            <Opener kind="body" opened={opened} onChange={setOpened} word="Content" name={name} />
          )}
          {before !== undefined && before.hash !== hash && (
            <Opener kind="before" opened={opened} onChange={setOpened} word="Content before" name={name} />
          )}
        </p>
      )}
      {opened === 'diff' && hash !== undefined && before !== undefined && (
        <BodyDiff name={name} beforeHash={before.hash} afterHash={hash} />
      )}
      {(opened === 'body' || opened === 'before') && shownHash !== undefined && (
        <BodyText
          key={shownHash}
          row={{ name, service }}
          hash={shownHash}
          format={format}
          onFormatChange={setFormat}
          field={null}
        />
      )}
    </li>
  );
}

interface OpenerProps {
  readonly kind: Opened;
  readonly opened: Opened;
  readonly onChange: (opened: Opened) => void;
  readonly word: string;
  readonly name: string;
}

function Opener({ kind, opened, onChange, word, name }: OpenerProps) {
  const isOpen = opened === kind;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-label={`${word} of ${name}`}
      onClick={() => onChange(isOpen ? 'closed' : kind)}
      className={`min-h-6 hover:underline ${isOpen ? 'font-medium text-text' : 'text-accent'}`}
    >
      {word}
    </button>
  );
}
