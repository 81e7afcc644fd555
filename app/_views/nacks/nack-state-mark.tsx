import { StatusMark } from '@/app/_components/status-mark';
import type { NackGroupRow } from '@/lib/views/nacks/schema';

interface NackStateMarkProps {
  readonly state: NackGroupRow['state'];
  readonly word?: boolean;
}

const shapes = { open: 'NACKED', resolved: 'ACKED' } as const;

export function NackStateMark({ state, word = true }: NackStateMarkProps) {
  return <StatusMark status={shapes[state]} word={word && state} />;
}
