'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useResourceBody } from '@/app/_ask/use-resource-body';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { formatBytes } from '@/lib/format/bytes';
import { SegmentedChoice } from '../segmented-choice';
import { contentRetentionHint } from './body-format';

const MergeView = dynamic(() => import('./merge-view').then((module) => module.MergeView), {
  ssr: false,
  loading: () => <Skeleton waitsFor="the text view" rows={6} />,
});

interface BodyDiffProps {
  readonly name: string;
  /** null: the side has no content. */
  readonly beforeHash: string | null | undefined;
  readonly afterHash: string | null | undefined;
  readonly opensAs?: DiffLayout;
  readonly className?: string;
}

type DiffLayout = (typeof layouts)[number]['value'];

/** Comparing longer texts would block the page. */
const mostChars = 1024 * 1024;
const layouts = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Side by side' },
] as const;

export function BodyDiff(props: BodyDiffProps) {
  const { name, beforeHash, afterHash, opensAs = 'unified', className = 'max-h-96' } = props;
  const [layout, setLayout] = useState<DiffLayout>(opensAs);
  const before = useBodyText(beforeHash);
  const after = useBodyText(afterHash);
  const failed = [before, after].find(({ isError }) => isError);
  if (failed !== undefined) {
    return (
      <ErrorState
        title="Couldn’t load one of the contents"
        error={failed.error}
        hint={contentRetentionHint}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (before.text === undefined || after.text === undefined)
    return <Skeleton waitsFor="both bodies" rows={6} />;
  const longest = Math.max(before.text.length, after.text.length);
  if (longest > mostChars) {
    return (
      <p className="note">
        Too large to compare here: {formatBytes(longest)} of text, at most {formatBytes(mostChars)}. Open each
        content separately.
      </p>
    );
  }
  if (before.text === after.text) {
    return (
      <p className="note">Equal as text: the bytes differ only in details such as the order of a map.</p>
    );
  }
  return (
    <section aria-label={`What changed in ${name}`} className="flex flex-col gap-1.5">
      <div>
        <SegmentedChoice label="Diff" value={layout} options={layouts} onChange={setLayout} />
      </div>
      <div className={`overflow-auto rounded-md border border-line ${className}`}>
        <MergeView
          key={layout}
          before={before.text}
          after={after.text}
          layout={layout}
          label={`What changed in ${name}`}
        />
      </div>
    </section>
  );
}

function useBodyText(hash: string | null | undefined) {
  const { data, isError, error, refetch } = useResourceBody(hash);
  return { text: hash == null ? '' : data?.text, isError, error, refetch };
}
