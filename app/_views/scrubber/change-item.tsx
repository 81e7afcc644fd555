'use client';

import Link from 'next/link';
import { useState } from 'react';
import { BodyDiff } from '@/app/_components/inspector/body-diff';
import type { BodyFormatTab } from '@/app/_components/inspector/body-format';
import { BodyText } from '@/app/_components/inspector/body-text';
import { NameText } from '@/app/_components/name-text';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StateMark } from '@/app/_components/status-mark';
import { formatCount } from '@/lib/format/count';
import { changeShape } from '@/lib/views/changes/change-shape';
import type { ClientChange } from '@/lib/views/changes/schema';
import { describeLine } from '@/lib/views/compare/describe-diff';
import type { DiffAnswerItem } from '@/lib/views/compare/schema';
import { useClientViewQuery } from '../client/use-client-view-query';

interface ChangeItemProps {
  readonly change: ClientChange;
  /** The semantic differences; undefined: not loaded. */
  readonly diff: DiffAnswerItem | undefined;
  readonly diffHref: string;
}

export function ChangeItem({ change, diff, diffHref }: ChangeItemProps) {
  const { openResource } = useClientViewQuery();
  const [shown, setShown] = useState<'diff' | 'body' | null>(null);
  const [format, setFormat] = useState<BodyFormatTab>('yaml');
  const { kind, service, name, before, after, differs } = change;
  const [beforeHash, afterHash] = [before?.hash ?? null, after?.hash ?? null];
  const hasDiff = beforeHash !== null && afterHash !== null && beforeHash !== afterHash;
  const onlyHash = beforeHash === null || afterHash === null ? (afterHash ?? beforeHash) : null;
  const bodySide = afterHash === null ? 'A' : 'B';
  const opens = hasDiff ? 'diff' : onlyHash !== null ? 'body' : null;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-1 text-medium">
      <span className="w-24">
        <ShapeMark shape={changeShape(kind)} />
      </span>
      <button
        type="button"
        className="flex min-w-0 items-center gap-2 text-left hover:underline"
        title={kind === 'removed' ? 'Absent at B' : 'Open in the inspector'}
        onClick={() => openResource(change)}
      >
        <span className="note">{service}</span>
        <NameText name={name} />
      </button>
      {before !== undefined && after !== undefined && before.versionInfo !== after.versionInfo && (
        <span className="note">
          version <Version text={before.versionInfo} /> → <Version text={after.versionInfo} />
        </span>
      )}
      {(before === undefined) !== (after === undefined) && (
        <span className="note">
          version <Version text={(before ?? after)?.versionInfo ?? ''} />
        </span>
      )}
      {before !== undefined && after !== undefined && before.state !== after.state && (
        <span className="inline-flex items-center gap-1.5 text-small">
          <StateMark state={before.state} /> → <StateMark state={after.state} />
        </span>
      )}
      {differs.length > 0 && <span className="note">differs in {differs.join(', ')}</span>}
      {opens !== null && (
        <button
          type="button"
          aria-expanded={shown !== null}
          aria-label={`${opens === 'diff' ? 'What changed in' : `Content at ${bodySide} of`} ${name}`}
          onClick={() => setShown(shown === null ? opens : null)}
          className="ml-auto min-h-6 text-small link-quiet"
        >
          {shown !== null ? 'Hide' : opens === 'diff' ? 'Show diff' : `Show content at ${bodySide}`}
        </button>
      )}
      {differs.includes('content') && (
        <Link href={diffHref} prefetch={false} className="text-small link">
          Differences<span className="sr-only"> in {name}</span>
        </Link>
      )}
      {diff !== undefined && <DiffText diff={diff} />}
      {shown === 'diff' && beforeHash !== null && afterHash !== null && (
        <div className="min-w-0 basis-full py-1">
          <BodyDiff name={name} beforeHash={beforeHash} afterHash={afterHash} />
        </div>
      )}
      {shown === 'body' && onlyHash !== null && (
        <div className="min-w-0 basis-full py-1">
          <BodyText
            row={{ name, service }}
            hash={onlyHash}
            format={format}
            onFormatChange={setFormat}
            field={null}
          />
        </div>
      )}
    </li>
  );
}

function Version({ text }: { readonly text: string }) {
  return text === '' ? (
    <span>not reported</span>
  ) : (
    <span className="font-mono wrap-anywhere text-text">{text}</span>
  );
}

/** The first difference, or the note that the content is semantically equal. */
function DiffText({ diff: { kind, lines, totals } }: { readonly diff: DiffAnswerItem }) {
  const [line] = lines;
  if (kind === 'order' || kind === 'notation') {
    return (
      <span className="basis-full pl-28 text-small max-md:pl-0">
        <ShapeMark shape={changeShape(kind)} />
      </span>
    );
  }
  if (line === undefined || totals === undefined) return null;
  return (
    <span className="basis-full pl-28 text-small max-md:pl-0">
      <span className="font-mono wrap-anywhere" translate="no">
        {describeLine(line, 'times')}
      </span>
      {totals.changes > 1 && <span className="text-muted"> and {formatCount(totals.changes - 1)} more</span>}
    </span>
  );
}
