import { NotReported } from '@/app/_components/bytes-text';
import { StatusMark } from '@/app/_components/status-mark';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { explainAbsence } from '@/lib/sync/describe-mismatch';
import type { PropagationPlace } from '@/lib/sync/propagation-state';
import type { PropagationRow, PropagationStateRow } from '@/lib/views/propagation/schema';

interface PropagationStateTextProps {
  readonly place: PropagationPlace;
  readonly word: PropagationStateRow | undefined;
  readonly isReported: boolean;
  /** Set for the first place that differs. */
  readonly mismatch: PropagationRow['firstMismatch'];
}

/** The state of a resource at one place; equal contents have equal hashes. */
export function PropagationStateText({ place, word, isReported, mismatch }: PropagationStateTextProps) {
  const isOther = mismatch !== undefined;
  const said = mismatch?.isBehind ? 'behind: ' : 'differs: ';
  const isExpected = mismatch?.isBehind || mismatch?.isOfOtherNode;
  const textTone = isExpected ? 'text-muted' : 'text-nacked';
  const backgroundTone = isExpected ? 'bg-sunken' : 'bg-nacked/12';
  if (word === undefined) {
    return (
      <span className={isOther ? `font-medium ${textTone}` : undefined}>
        {isOther && <span className="sr-only">{said}</span>}
        <NotReported why={explainAbsence(place, isReported)} />
      </span>
    );
  }
  const { hash, versionInfo } = word;
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex min-w-0 items-center gap-1.5">
        {place !== 'controlPlane' && <StatusMark status={word.state} word={false} sizePx={11} />}
        <span
          className={`text-[0.9286em] whitespace-nowrap ${hash === undefined ? '' : 'font-mono'} ${isOther ? `rounded px-1 font-semibold ${backgroundTone} ${textTone}` : ''}`}
          title={hash === undefined ? 'Content not reported' : `SHA-256 of the content: ${hash}`}
          translate="no"
        >
          {isOther && <span aria-hidden="true">≠ </span>}
          {isOther && <span className="sr-only">{said}</span>}
          {hash === undefined ? 'no content' : hash.slice(0, 8)}
        </span>
      </span>
      <span className="truncate text-tiny text-muted">
        {place === 'controlPlane' && `${word.configStatus} `}
        {versionInfo !== '' && (
          <span className="font-mono" title={`version ${versionInfo}`}>
            {formatMiddleCut(versionInfo, 18)}
          </span>
        )}
      </span>
    </span>
  );
}
