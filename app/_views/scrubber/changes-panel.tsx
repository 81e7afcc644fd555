'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useMemo, useState } from 'react';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import { diffMarksOptions } from '@/app/_ask/diff-options';
import { omitEmpty } from '@/app/_ask/query-text';
import { Button } from '@/app/_components/button';
import { compareHref } from '@/app/_components/compare-href';
import { ExactTime } from '@/app/_components/exact-time';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import type { ChangeKind } from '@/lib/diff/change-kind';
import { formatCount } from '@/lib/format/count';
import type { ClientChanges } from '@/lib/views/changes/schema';
import { clientAddress, formatDiffAddress } from '@/lib/views/compare/diff-address';
import type { Moment } from '@/lib/views/fields/moment';
import { ChangeItem } from './change-item';

interface ChangesPanelProps {
  readonly clientId: string;
  /** A and B of the URL; "": now. */
  readonly since: string;
  readonly until: string;
  /** B was set explicitly; otherwise it is the shown time. */
  readonly isSet: boolean;
  /** B is the shown time, so its graph highlights the changes. */
  readonly isVisible: boolean;
  readonly onClose: () => void;
  readonly onOpen: (name: 'A' | 'B') => void;
  /** B becomes the shown time again. */
  readonly onFree: () => void;
}

const perPage = 100;
const kindOptions = [
  { value: 'other', label: 'All' },
  { value: 'added', label: 'Added' },
  { value: 'removed', label: 'Removed' },
  { value: 'changed', label: 'Changed' },
  { value: 'all', label: 'Include version only' },
] as const;

export function ChangesPanel(props: ChangesPanelProps) {
  const { clientId, since, until, isSet, isVisible, onClose, onOpen, onFree } = props;
  const [kind, setKind] = useState<ChangeKind | 'all' | 'other'>('other');
  const [offset, setOffset] = useState(0);
  const isKind = kind !== 'all' && kind !== 'other';
  const content = kind === 'all' ? 'all' : 'other';
  const query = {
    from: since,
    ...omitEmpty({ to: until }),
    ...(isKind && { kind }),
    content,
    offset,
    limit: perPage,
  } as const;
  const answer = useQuery(clientQuestionOptions({ clientId }, 'changes', query));
  const { data } = answer;
  const [left, right] = [clientAddress(clientId, since), clientAddress(clientId, until)];
  // The list does not wait for the semantic differences.
  const { data: diff } = useQuery(diffMarksOptions(formatDiffAddress(left), formatDiffAddress(right)));
  const diffs = useMemo(
    () => new Map(diff?.items.map((item) => [`${item.typeUrl} ${item.name}`, item])),
    [diff],
  );
  return (
    <section aria-label="What changed between A and B" className="border-b border-line bg-raised">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-1.5">
        <h2 className="text-medium font-semibold">Changes</h2>
        {data !== undefined && <Between changes={data} isSet={isSet} />}
        {data !== undefined && <Counts counts={data.counts} />}
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <SegmentedChoice
            label="Which changes"
            value={kind}
            options={kindOptions}
            onChange={(next) => {
              setKind(next);
              setOffset(0);
            }}
          />
          <Link href={compareHref(left, right)} prefetch={false} className="px-2 text-medium link">
            Compare in full
          </Link>
          <Button tone="quiet" onPress={() => onOpen('A')}>
            Go to A
          </Button>
          {isSet && (
            <Button tone="quiet" onPress={() => onOpen('B')}>
              Go to B
            </Button>
          )}
          {isSet && (
            <Button tone="quiet" onPress={onFree}>
              Follow live
            </Button>
          )}
          <Button tone="quiet" icon="close" label="Clear comparison" onPress={onClose}>
            Clear comparison
          </Button>
        </div>
      </div>
      {!isVisible && (
        <p className="px-4 pb-1.5 note">
          The views show another time than B. Changes are highlighted in graph B.
        </p>
      )}
      <QueryContent query={answer} what="the changes" rows={2}>
        {(data) => (
          <div aria-busy={answer.isPlaceholderData} className="max-h-56 overflow-y-auto border-t border-line">
            {data.total === 0 ? (
              <p className="px-4 py-2 text-medium text-muted">
                {data.counts.versionOnly === 0 || kind === 'all'
                  ? 'No differences.'
                  : 'Only versions differ.'}
              </p>
            ) : (
              <ul>
                {data.items.map((change) => (
                  <ChangeItem
                    key={`${change.typeUrl} ${change.name}`}
                    change={change}
                    diff={diffs.get(`${change.typeUrl} ${change.name}`)}
                    diffHref={compareHref(left, right, change)}
                  />
                ))}
              </ul>
            )}
            <div className="flex px-4">
              <Pager
                label="changes"
                offset={offset}
                limit={perPage}
                total={data.total}
                onChange={setOffset}
              />
            </div>
          </div>
        )}
      </QueryContent>
    </section>
  );
}

function Between({
  changes: { from, to },
  isSet,
}: {
  readonly changes: ClientChanges;
  readonly isSet: boolean;
}) {
  const isBackwards = to !== undefined && to.at < from.at;
  return (
    <p className="note">
      A <When moment={from} /> → B <When moment={to} />
      {!isSet && ', shown'}
      {isBackwards && ': B is earlier than A; changes are shown in reverse'}
    </p>
  );
}

function When({ moment }: { readonly moment: Moment | undefined }) {
  if (moment === undefined) return <span className="font-medium text-text">now</span>;
  return <ExactTime at={moment.at} className="font-mono text-text" />;
}

function Counts({ counts }: Pick<ClientChanges, 'counts'>) {
  const { added, removed, changed, versionOnly, unchanged } = counts;
  return (
    <p className="note tabular-nums">
      {formatCount(added)} added, {formatCount(removed)} removed, {formatCount(changed)} changed
      {versionOnly > 0 && <> ({formatCount(versionOnly)} version only)</>}, {formatCount(unchanged)} unchanged
    </p>
  );
}
