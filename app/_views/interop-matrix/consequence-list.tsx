import Link from 'next/link';
import { NameText } from '@/app/_components/name-text';
import { formatCondition } from '@/lib/filter/format-filter';
import type { Consequence } from '@/lib/views/interop-matrix/list-consequences';
import { interopRunHref } from '../interop-runs/interop-run-href';

/** What the results mean for this fleet, with links to the clients, to resources that use the feature, and to the run. */
export function ConsequenceList({ consequences }: { readonly consequences: readonly Consequence[] }) {
  return (
    <ul className="divide-y divide-line">
      {consequences.map(({ case: name, userAgent, text, detail, names, service, runId }) => (
        <li key={`${userAgent} ${name} ${service}`} className="px-4 py-2">
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
            {runId !== undefined && (
              <Link href={interopRunHref(runId)} className="link" prefetch={false}>
                The run
              </Link>
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
