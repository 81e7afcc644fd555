import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { formatCount } from '@/lib/format/count';
import { formatName } from '@/lib/format/names/format-name';
import type { Check } from '@/lib/views/check/schema';
import { nameOf } from '@/lib/xds/profile';

/** What the push removes at the chosen client, and what each client version does then. */
export function RemovalPanel({ check }: { readonly check: Check }) {
  const { removals, against, removedByName = [], removedByNameTotal = 0 } = check;
  if (removals === undefined) return null;
  const removed = against?.removed ?? removedByName.map((each) => ({ ...each, isReached: true }));
  const total = against?.removedTotal ?? removedByNameTotal;
  const left = total - removed.length;
  return (
    <Panel
      title={`Removed${total === 0 && against === undefined ? '' : ` ${formatCount(total)}`}`}
      vantage={
        against === undefined ? 'by each client' : `at ${formatName(against.nodeId) || '(empty node ID)'}`
      }
    >
      {against === undefined ? (
        <p className="note">Choose the client to compare with, to list what it has and the input lacks.</p>
      ) : (
        removed.length === 0 && (
          <p>
            {removedByNameTotal > 0
              ? 'The client has none of what the input removes by name.'
              : 'The input has every listener and cluster of its types that the client has.'}
          </p>
        )
      )}
      <ul className="flex flex-col gap-1">
        {removed.map(({ typeUrl, service, name, isReached }) => (
          <li key={`${typeUrl} ${name}`} className="flex flex-wrap items-baseline gap-x-2">
            <span className="note">{service}</span>
            <NameText name={name} typeUrl={typeUrl} copy />
            {!isReached && <span className="note">no listener leads to it</span>}
          </li>
        ))}
      </ul>
      {left > 0 && <p className="note">{formatCount(left)} more are not listed.</p>}
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-small">
        {removals.map(({ typeUrl, service, profiles, text }) => (
          <div key={`${typeUrl} ${text}`} className="contents">
            <dt className="text-muted">
              {service} {profiles.map(nameOf).join(', ')}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
