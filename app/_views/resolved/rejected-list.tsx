'use client';

import type { RejectedResource } from '@/lib/views/resolved/schema';
import { ResourceButton } from './resource-button';

/** The resources that the client behavior rejects; each opens at the field. */
export function RejectedList({ rejected }: { readonly rejected: readonly RejectedResource[] }) {
  if (rejected.length === 0) return null;
  return (
    <section aria-label="Rejected by the rules" className="min-w-0 text-medium">
      <h3 className="text-[0.8462em] text-muted">Rejected by the rules</h3>
      <ul>
        {rejected.map((item) => (
          <li key={`${item.typeUrl} ${item.name}`}>
            <span className="inline-flex max-w-full items-center gap-1.5">
              <span className="text-[0.8571em] text-muted">{item.service}</span>
              <ResourceButton
                resource={item}
                name={`${item.ruleId} ${item.name}`}
                field={item.fieldPath === '' ? undefined : item.fieldPath}
              />
            </span>{' '}
            <span className="break-words text-muted">
              {item.message}
              {item.others > 0 && `, and ${item.others} more`}
              {item.keepsEarlier && '; an earlier config stays in use'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
