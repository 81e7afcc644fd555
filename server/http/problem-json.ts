import type { ProblemDetails } from '@/lib/api/schema';
import { redactMessage } from '../codec/secrets/redact-message';

export type ProblemParts = Omit<ProblemDetails, 'type'>;

export const problemHeaders = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
} as const;

/** RFC 9457 problem JSON. Secrets in the detail are masked. */
export function formatProblem({ title, status, detail, field }: ProblemParts): string {
  const problem: ProblemDetails = {
    type: 'about:blank',
    title,
    status,
    detail: redactMessage(detail),
    ...(field === undefined ? {} : { field }),
  };
  return JSON.stringify(problem);
}
