'use client';

import type { ErrorModel, ProbeManner, ProbeProfile } from '@/lib/xds/probe-choices';
import { SelectField } from '../../_components/select-field';
import { ChoiceCards } from './choice-cards';
import { errorModelChoices, mannerChoices, profileChoices } from './source-choices';

export interface Manner {
  readonly manner: ProbeManner;
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
}

interface MannerFieldsProps {
  readonly value: Manner;
  readonly onChange: (change: Partial<Manner>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

/** How our client behaves. These can be changed later; what and how it asks cannot. */
export function MannerFields({ value, onChange, errorAt }: MannerFieldsProps) {
  return (
    <>
      <ChoiceCards
        legend="Manner"
        name="manner"
        value={value.manner}
        choices={mannerChoices}
        onChange={(manner) => onChange({ manner })}
      />
      <div className="grid gap-4 min-[30rem]:grid-cols-2">
        {value.manner === 'as-client' && (
          <SelectField
            label="As which client"
            value={value.profile}
            options={profileChoices}
            onChange={(profile) => onChange({ profile })}
            error={errorAt('profile')}
          />
        )}
        <SelectField
          label="Error model"
          value={value.errorModel}
          options={errorModelChoices}
          onChange={(errorModel) => onChange({ errorModel })}
          error={errorAt('errorModel')}
        />
      </div>
    </>
  );
}
