import Link from 'next/link';
import type { IdentityItem } from '@/lib/api/identity';
import { clientHref } from '../../../../_components/client-href';
import { NameText } from '../../../../_components/name-text';
import { TimeAgo } from '../../../../_components/time-ago';

/** One client a line, with what is so in words. */
export function IdentityList({ items }: { readonly items: readonly IdentityItem[] }) {
  return (
    <ul className="divide-y divide-line">
      {items.map(({ clientId, nodeId, scope, at, text, sources }) => (
        <li key={`${clientId} ${text}`} className="flex flex-col gap-0.5 px-4 py-2.5">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <Link
              href={clientHref(clientId)}
              className="min-w-0 font-medium hover:text-accent hover:underline"
            >
              <NameText name={scope === '' ? nodeId : `${nodeId} ${scope}`} maxChars={72} />
            </Link>
            {at !== null && <TimeAgo iso={at} className="text-[0.8571rem] text-muted" />}
          </p>
          <p className="text-[0.9286rem] break-words">{text}</p>
          <p className="flex min-w-0 flex-wrap gap-x-2 text-[0.7857rem] text-muted">
            reported by
            {sources.slice(0, 6).map((source) => (
              <NameText key={source} name={source} maxChars={48} />
            ))}
            {sources.length > 6 && `and ${sources.length - 6} more`}
          </p>
        </li>
      ))}
    </ul>
  );
}
