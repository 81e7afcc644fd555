import type { NackGroupRow } from '@/lib/api/nacks';
import { StatusMark } from '../../_components/status-mark';

interface NackStateMarkProps {
  readonly state: NackGroupRow['state'];
  readonly word?: boolean;
}

const shapes = { open: 'NACKED', resolved: 'ACKED' } as const;

export function NackStateMark({ state, word = true }: NackStateMarkProps) {
  return <StatusMark status={shapes[state]} word={word && state} />;
}
