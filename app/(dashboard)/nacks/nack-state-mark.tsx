import type { NackGroupRow } from '@/lib/api/nacks';
import { StatusMark } from '../../_components/status-mark';

interface NackStateMarkProps {
  readonly state: NackGroupRow['state'];
  readonly word?: boolean;
}

export function NackStateMark({ state, word = true }: NackStateMarkProps) {
  const shape = state === 'open' ? 'NACKED' : 'ACKED';
  return <StatusMark status={shape} word={word && state} />;
}
