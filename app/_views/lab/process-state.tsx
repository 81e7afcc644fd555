import { StatusMark } from '@/app/_components/status-mark';
import type { LabProcess } from '@/lib/views/lab/schema';

const statuses = {
  starting: 'REQUESTED',
  running: 'HEALTHY',
  stopped: 'DRAINING',
  crashed: 'UNHEALTHY',
  absent: 'MISSING',
} as const;

export function ProcessState({ state }: Pick<LabProcess, 'state'>) {
  return <StatusMark status={statuses[state]} word={state} />;
}
