import { findChangedLines } from '@/lib/views/pushes/find-changed-lines';

const mostChars = 256 * 1024;

interface ChangedLinesProps {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isMissing?: boolean;
  /** Further lines are counted. */
  readonly mostLines?: number;
}

const signs = { removed: '−', added: '+', same: ' ' } as const;
const tones = { removed: 'text-nacked', added: 'text-acked', same: 'text-muted' } as const;

/** The lines of the newer text that differ from the older one, and those that are no longer there. */
export function ChangedLines({ before, after, isMissing = false, mostLines = 14 }: ChangedLinesProps) {
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
