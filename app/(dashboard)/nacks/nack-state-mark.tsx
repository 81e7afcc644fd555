import type { NackGroupRow } from '@/lib/api/nacks';
import { StatusMark } from '../../_components/status-mark';

interface NackStateMarkProps {
  readonly state: NackGroupRow['state'];
  readonly word?: boolean;
}

/** A NACK that stands has the shape of NACKED, one that is over that of ACKED. */
export function NackStateMark({ state, word = true }: NackStateMarkProps) {
  const shape = state === 'open' ? 'NACKED' : 'ACKED';
  return <StatusMark status={shape} word={word && state} />;
}
