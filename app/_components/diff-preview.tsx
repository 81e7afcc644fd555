'use client';

import { useResourceBody } from '@/app/_ask/use-resource-body';
import { ChangedLines } from './changed-lines';

interface DiffPreviewProps {
  readonly name: string;
  readonly hash: string;
  readonly before: { readonly hash: string; readonly version: string };
  /** The number of other resources that changed with it. */
  readonly others: number;
}

/** The first changed lines of one resource. Pages of pushes and NACKs show all of them. */
export function DiffPreview({ name, hash, before, others }: DiffPreviewProps) {
  const [old, next] = [useResourceBody(before.hash), useResourceBody(hash)];
  return (
    <div className="flex flex-col gap-1.5 text-small">
      <p className="font-medium break-words">
        {name}
        <span className="font-normal text-muted">
          {before.version === '' ? ' beside the content before' : ` beside version ${before.version}`}
          {others > 0 && `; ${others} more changed`}
        </span>
      </p>
      <ChangedLines before={old.data?.text} after={next.data?.text} isMissing={old.isError || next.isError} />
    </div>
  );
}
