import { NameText } from '@/app/_components/name-text';
import type { ConnectionRow } from '@/lib/api/connections';

type Place = Pick<ConnectionRow, 'cluster' | 'priority' | 'locality'>;

/** The cluster, priority and locality of a row, unless the row before has the same. */
export function headingOfGroup(row: ConnectionRow, before: ConnectionRow | undefined) {
  return before !== undefined && isSamePlace(row, before) ? null : <EndpointGroup place={row} />;
}

function isSamePlace(a: Place, b: Place): boolean {
  return a.cluster === b.cluster && a.priority === b.priority && a.locality === b.locality;
}

function EndpointGroup({ place: { cluster, priority, locality } }: { readonly place: Place }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      {cluster !== '' && <NameText name={cluster} className="font-medium" />}
      <span className="note truncate">
        {priority === null ? 'not in the config' : `Priority ${priority}`}
        {locality === '' ? '' : ` · ${locality}`}
      </span>
    </span>
  );
}
