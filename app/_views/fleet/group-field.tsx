import { fleetFields } from '@/lib/fleet/fleet-fields';
import { formatCount } from '@/lib/format/count';
import type { FleetPage } from '@/lib/views/fleet/schema';

interface GroupFieldProps {
  readonly group: string;
  readonly metadataKeys: FleetPage['metadataKeys'];
  /** Choices in addition to node attributes. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (group: string) => void;
}

const ungrouped = [{ value: '', label: 'none' }];

export function GroupField({ group, metadataKeys, choices = ungrouped, onChange }: GroupFieldProps) {
  const isKnown =
    choices.some(({ value }) => value === group) ||
    Object.hasOwn(fleetFields, group) ||
    metadataKeys.some(({ key }) => `meta.${key}` === group);
  return (
    <label className="flex h-8 items-center gap-1.5 note">
      Group by
      <select
        value={group}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 max-w-56 rounded-md border border-line-strong bg-raised px-2 text-text"
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {Object.entries(fleetFields).map(([field, meaning]) => (
          <option key={field} value={field} title={meaning}>
            {field}
          </option>
        ))}
        {!isKnown && <option value={group}>{group}</option>}
        {metadataKeys.length > 0 && (
          <optgroup label="Node metadata">
            {metadataKeys.map(({ key, clients }) => (
              <option key={key} value={`meta.${key}`}>
                {key} ({formatCount(clients)})
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}
