import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { formatCount } from '@/lib/format/count';
import type { Check } from '@/lib/views/check/schema';
import { formatResourceType } from '@/lib/xds/resource-type';

/** References that lead to nothing. */
export function DanglingPanel({ check }: { readonly check: Check }) {
  const { dangling, danglingTotal, against } = check;
  if (danglingTotal === 0) return null;
  const where = against === undefined ? 'the resources' : 'the resources and what the client has';
  return (
    <Panel title={`Missing references ${formatCount(danglingTotal)}`} vantage={`in ${where}`}>
      <ul className="flex flex-col gap-1">
        {dangling.map(({ typeUrl, service, name, usedBy: [first] }) => (
          <li key={`${typeUrl} ${name}`} className="flex flex-wrap items-baseline gap-x-2">
            <span className="note">{service}</span>
            <NameText name={name} typeUrl={typeUrl} copy />
            {first !== undefined && (
              <span className="note">
                named by {formatResourceType(first.typeUrl)} {first.name}
              </span>
            )}
          </li>
        ))}
      </ul>
      {danglingTotal > dangling.length && (
        <p className="note">{formatCount(danglingTotal - dangling.length)} more are not listed.</p>
      )}
    </Panel>
  );
}
