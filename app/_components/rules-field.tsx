'use client';

import { SelectField } from './select-field';

type LoadRules = 'grpc' | 'envoy';

interface RulesFieldProps {
  readonly value: LoadRules;
  readonly onChange: (rules: LoadRules) => void;
}

export function RulesField({ value, onChange }: RulesFieldProps) {
  return (
    <SelectField
      className="w-32"
      label="Rules"
      value={value}
      options={[
        { value: 'grpc', label: 'gRPC' },
        { value: 'envoy', label: 'Envoy' },
      ]}
      onChange={onChange}
    />
  );
}
