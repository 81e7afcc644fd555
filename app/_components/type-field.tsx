import { resourceTypes } from '@/lib/xds/resource-type';
import { SelectField } from './select-field';

interface TypeFieldProps {
  /** A short name as in "CDS", or a type URL that has none; empty: all types. */
  readonly value: string;
  readonly onChange: (type: string) => void;
  readonly className?: string;
}

const known = resourceTypes.map(({ service }) => ({ value: service, label: service }));

/** The resource type that a list is limited to. */
export function TypeField({ value, onChange, className }: TypeFieldProps) {
  const isUnknown = value !== '' && !known.some((type) => type.value === value);
  const options = [
    { value: '', label: 'all types' },
    ...known,
    ...(isUnknown ? [{ value, label: value }] : []),
  ];
  return (
    <SelectField label="Type" value={value} options={options} onChange={onChange} className={className} />
  );
}
