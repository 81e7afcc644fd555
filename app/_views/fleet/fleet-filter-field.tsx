'use client';

import { FilterField } from '@/app/_components/filter-field';
import { fleetGrammar } from '@/lib/views/fleet/fleet-filter';
import { useMetadataKeys } from './use-metadata-keys';

interface FleetFilterFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  readonly className: string;
}

/** The filter of clients, which completes the keys of node metadata as well. */
export function FleetFilterField(props: FleetFilterFieldProps) {
  const keys = useMetadataKeys().map(({ key }) => key);
  return <FilterField {...props} label="Filter clients" grammar={fleetGrammar} keys={keys} />;
}
