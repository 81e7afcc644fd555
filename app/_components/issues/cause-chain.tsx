import Link from 'next/link';
import type { Issue } from '@/lib/api/issues';
import { Icon } from '../icon';
import { evidenceHref } from './issue-href';

/** Push, resource, field and change, each with a link to its evidence. */
export function CauseChain({ issue: { cause, impact } }: { readonly issue: Issue }) {
  return (
    <ol aria-label="Cause" className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-0.5 text-small">
      {cause.map(({ step, text, evidence }, at) => (
        <li key={text} className="flex min-w-0 items-center gap-1.5">
          {at > 0 && (
            <span className="text-muted">
              <Icon name="arrow-right" sizePx={11} />
            </span>
          )}
          <span className={`min-w-0 wrap-anywhere ${step === 'field' ? 'font-mono' : ''}`}>
            {evidence === null ? (
              text
            ) : (
              <Link href={evidenceHref(evidence)} className="inline-flex min-h-7 items-center link-hover">
                {text}
              </Link>
            )}
          </span>
        </li>
      ))}
      {impact.reason !== '' && !cause.some(({ text }) => impact.reason.includes(text)) && (
        <li className="min-w-0 basis-full wrap-anywhere note">{impact.reason}</li>
      )}
    </ol>
  );
}
