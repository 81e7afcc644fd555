import type { Severity } from '@/lib/issues/describe-impact';
import { StatusMark } from '../status-mark';

const marks = {
  critical: { status: 'RECEIVED_ERROR', word: 'Critical' },
  major: { status: 'NACKED', word: 'Major' },
  warning: { status: 'TIMEOUT', word: 'Warning' },
  minor: { status: 'REQUESTED', word: 'Minor' },
} as const;

export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return <StatusMark {...marks[severity]} className="w-[5.25rem]" />;
}
