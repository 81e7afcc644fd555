import { NotTold } from '@/app/_components/bytes-text';
import { StatusMark } from '@/app/_components/status-mark';
import type { TruthWordRow } from '@/lib/api/truth';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { whyNoWord } from '@/lib/view-model/truth/describe-word';
import type { TruthPlace } from '@/lib/view-model/truth/truth-word';

interface TruthWordTextProps {
  readonly place: TruthPlace;
  readonly word: TruthWordRow | null;
  /** Somebody speaks at this place. */
  readonly isSpoken: boolean;
  /** It is the first that tells something else. */
  readonly isOther: boolean;
}

/** What one place tells of a resource: equal bodies look equal. */
export function TruthWordText({ place, word, isSpoken, isOther }: TruthWordTextProps) {
  if (word === null) {
    return (
      <span className={isOther ? 'font-medium text-nacked' : undefined}>
        {isOther && <span className="sr-only">differs: </span>}
        <NotTold why={whyNoWord(place, isSpoken)} />
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
          title={hash === null ? 'No body was told' : `SHA-256 of the body: ${hash}`}
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
