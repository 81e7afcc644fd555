import { NotReported } from '@/app/_components/bytes-text';
import { StatusMark } from '@/app/_components/status-mark';
import type { PropagationStateRow } from '@/lib/api/propagation';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { explainAbsence } from '@/lib/sync/describe-mismatch';
import type { PropagationPlace } from '@/lib/sync/propagation-state';

interface PropagationStateTextProps {
  readonly place: PropagationPlace;
  readonly word: PropagationStateRow | null;
  /** Somebody speaks at this place. */
  readonly isSpoken: boolean;
  /** It is the first that reports something else. */
  readonly isOther: boolean;
}

/** What one place reports a resource: equal bodies look equal. */
export function PropagationStateText({ place, word, isSpoken, isOther }: PropagationStateTextProps) {
  if (word === null) {
    return (
      <span className={isOther ? 'font-medium text-nacked' : undefined}>
        {isOther && <span className="sr-only">differs: </span>}
        <NotReported why={explainAbsence(place, isSpoken)} />
      </span>
    );
  }
  const { hash, versionInfo } = word;
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex min-w-0 items-center gap-1.5">
        {place !== 'controlPlane' && <StatusMark status={word.clientStatus} word={false} sizePx={11} />}
        <span
          className={`font-mono text-[0.9286em] whitespace-nowrap ${isOther ? 'rounded bg-nacked/12 px-1 font-semibold text-nacked' : ''}`}
          title={hash === null ? 'No body was reported' : `SHA-256 of the body: ${hash}`}
          translate="no"
        >
          {isOther && <span aria-hidden="true">≠ </span>}
          {isOther && <span className="sr-only">differs: </span>}
          {hash === null ? 'no body' : hash.slice(0, 8)}
        </span>
      </span>
      <span className="truncate text-[0.7857rem] text-muted">
        {place === 'controlPlane' && `${word.configStatus.toLowerCase().replace('_', ' ')} `}
        {versionInfo !== '' && (
          <span className="font-mono" title={`version ${versionInfo}`}>
            {formatMiddleCut(versionInfo, 18)}
          </span>
        )}
      </span>
    </span>
  );
}
