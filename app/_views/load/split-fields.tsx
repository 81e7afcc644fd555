'use client';

import { SelectField } from '@/app/_components/select-field';
import type { SplitPart } from '@/lib/lb/split-part';

interface ChoiceProps<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** Selects the client behavior that the expected shares assume. */
export function RulesField(props: ChoiceProps<'grpc' | 'envoy'>) {
  const options = [
    { value: 'grpc', label: 'gRPC' },
    { value: 'envoy', label: 'Envoy' },
  ] as const;
  return <SelectField className="w-32" label="Rules" options={options} {...props} />;
}

/** Selects the parts whose shares are compared: localities or endpoints. */
export function SplitPartField(props: ChoiceProps<SplitPart>) {
  const options = [
    { value: 'locality', label: 'localities' },
    { value: 'endpoint', label: 'endpoints' },
  ] as const;
  return <SelectField className="w-32" label="Shares of" options={options} {...props} />;
}
