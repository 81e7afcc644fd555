'use client';

import { useResourceBody } from '@/app/_ask/use-resource-body';
import { findChangedLines } from '@/lib/views/pushes/find-changed-lines';

const mostLines = 14;
const mostChars = 256 * 1024;

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
      <Lines before={old.data?.text} after={next.data?.text} isMissing={old.isError || next.isError} />
    </div>
  );
}

interface LinesProps {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isMissing: boolean;
}

const signs = { removed: '−', added: '+', same: ' ' } as const;
const tones = { removed: 'text-nacked', added: 'text-acked', same: 'text-muted' } as const;

function Lines({ before, after, isMissing }: LinesProps) {
  if (isMissing) return <p className="text-muted">The payload is no longer recorded.</p>;
  if (before === undefined || after === undefined)
    return <p className="text-muted">Reading the payloads …</p>;
  if (before.length + after.length > mostChars) {
    return <p className="text-muted">Too large for a preview.</p>;
  }
  const lines = findChangedLines(before, after);
  if (lines.length === 0) return <p className="text-muted">Equal as text.</p>;
  return (
    <pre className="overflow-hidden font-mono leading-snug">
      {lines.slice(0, mostLines).map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and are not reordered.
        <span key={index} className={`block truncate ${tones[kind]}`}>
          {signs[kind]} {text}
        </span>
      ))}
      {lines.length > mostLines && (
        <span className="block text-muted">{lines.length - mostLines} more lines</span>
      )}
    </pre>
  );
}
