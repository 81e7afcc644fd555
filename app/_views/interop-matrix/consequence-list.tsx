import Link from 'next/link';
import { NameText } from '@/app/_components/name-text';
import { formatCondition } from '@/lib/filter/format-filter';
import { formatCount } from '@/lib/format/count';
import type { Consequence } from '@/lib/views/interop-matrix/list-consequences';
import { interopRunHref } from '../interop-runs/interop-run-href';

/** What the results mean for this fleet, with links to the clients, to resources that use the feature, and to the runs. */
export function ConsequenceList({ consequences }: { readonly consequences: readonly Consequence[] }) {
  return (
    <ul className="divide-y divide-line">
      {consequences.map(({ userAgent, text, detail, names, moreNames, service, cases }) => (
        <li key={`${userAgent} ${service} ${cases.map(({ name }) => name).join(' ')}`} className="px-4 py-2">
          <p>{text}.</p>
          <p className="note break-words">{detail}.</p>
          <p className="flex flex-wrap gap-x-4 note">
            <Link href={clientsHref(userAgent)} className="link" prefetch={false}>
              The clients
            </Link>
            {names.map((resource) => (
              <Link key={resource} href={searchHref(service, resource)} className="link" prefetch={false}>
                <NameText name={resource} />
              </Link>
            ))}
            {moreNames > 0 && <span>and {formatCount(moreNames)} more</span>}
            {cases.map(
              ({ name, runId }) =>
                runId !== undefined && (
                  <Link key={name} href={interopRunHref(runId)} className="link" prefetch={false}>
                    The run of {name}
                  </Link>
                ),
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

function clientsHref(userAgent: string): string {
  return `/clients?${new URLSearchParams({ q: formatCondition('agent', '=', userAgent) })}`;
}

function searchHref(service: string, name: string): string {
  const filter = [formatCondition('type', '=', service), formatCondition('name', '=', name)].join(' ');
  return `/search?${new URLSearchParams({ q: filter })}`;
}
