'use client';

import { useQuery } from '@tanstack/react-query';
import { diffOptions } from '@/app/_ask/diff-options';
import { CloseButton } from '@/app/_components/close-button';
import { BodyDiff } from '@/app/_components/inspector/body-diff';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { ShapeMark } from '@/app/_components/shape-mark';
import { StateMark } from '@/app/_components/status-mark';
import { sideShape } from '@/lib/views/changes/change-shape';
import type { DiffAnswer, DiffAnswerItem } from '@/lib/views/compare/schema';
import { DiffTree } from './diff-tree';

interface ResourceDiffProps {
  /** Addresses that include the resource. */
  readonly left: string;
  readonly right: string;
  readonly view: 'tree' | 'text';
  readonly onView: (view: 'tree' | 'text') => void;
  /** Absent if the resource fills the page. */
  readonly onClose?: () => void;
}

const views = [
  { value: 'tree', label: 'Tree' },
  { value: 'text', label: 'Text' },
] as const;

export function ResourceDiff({ left, right, view, onView, onClose }: ResourceDiffProps) {
  const { data, error, refetch } = useQuery(diffOptions({ left, right, limit: 1 }));
  const item = data?.items[0];
  return (
    <section aria-label="What differs in the resource" className="flex h-full min-h-0 min-w-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
        {item !== undefined && (
          <>
            <ShapeMark shape={sideShape(item.kind)} />
            <span className="flex min-w-0 items-center gap-2">
              <span className="note">{item.service}</span>
              <NameText name={item.name} copy />
            </span>
          </>
        )}
        <div className="ml-auto flex items-center gap-2">
          <SegmentedChoice label="Show as" value={view} options={views} onChange={onView} />
          {onClose !== undefined && <CloseButton label="Close the resource" onClose={onClose} />}
        </div>
      </header>
      <QueryContent query={{ data, error, refetch }} what="the comparison" rows={6}>
        {(data) => (
          <>
            {item === undefined && (
              <p className="px-4 py-3 text-muted">The resource is identical on both sides.</p>
            )}
            {item !== undefined && (
              <>
                <Facts item={item} />
                {view === 'tree' ? <Tree answer={data} item={item} /> : <Texts item={item} />}
              </>
            )}
          </>
        )}
      </QueryContent>
    </section>
  );
}

function Facts({ item: { left, right } }: { readonly item: DiffAnswerItem }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 border-b border-line px-3 py-1.5 text-small">
      {[left, right].map((row, index) => (
        <div key={index === 0 ? 'left' : 'right'} className="flex min-w-0 flex-wrap items-center gap-x-3">
          <dt className="text-muted">{index === 0 ? 'A' : 'B'}</dt>
          <dd className="flex min-w-0 flex-wrap items-center gap-x-3">
            {row === undefined ? (
              'not reported'
            ) : (
              <>
                <StateMark state={row.state} />
                <span className="min-w-0 break-all">
                  version{' '}
                  <span className="font-mono">
                    {row.versionInfo === '' ? 'not reported' : row.versionInfo}
                  </span>
                </span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Tree({ answer, item }: { readonly answer: DiffAnswer; readonly item: DiffAnswerItem }) {
  const { rows, isCut } = answer.tree ?? { rows: [], isCut: false };
  if (rows.length === 0) return <p className="px-4 py-3 text-muted">{withoutTree(item)}</p>;
  return (
    <>
      <DiffTree rows={rows} label={`What differs in ${item.name}`} />
      {isCut && (
        <p className="border-t border-line px-3 py-1.5 note">
          The tree is cut. The Text view shows everything.
        </p>
      )}
    </>
  );
}

function withoutTree({ kind, left, right }: DiffAnswerItem): string {
  if (kind === 'unread') return 'The content of one side is no longer stored: its retention has ended.';
  if (kind === 'added') return 'Only B has content. The Text view shows it.';
  if (kind === 'removed') return 'Only A has content. The Text view shows it.';
  if (left?.hash == null && right?.hash == null) return 'Neither side has content.';
  return 'The content is identical on both sides.';
}

function Texts({ item: { name, left, right } }: { readonly item: DiffAnswerItem }) {
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3">
      <BodyDiff
        name={name}
        beforeHash={left?.hash ?? null}
        afterHash={right?.hash ?? null}
        opensAs="split"
        className="max-h-none"
      />
    </div>
  );
}
