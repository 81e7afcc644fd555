import type { LabProcess } from '@/lib/api/lab';
import { StatusMark } from '../../_components/status-mark';

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
