'use client';

import { SelectField } from '@/app/_components/select-field';
import type { ErrorModel, ProbeMode, ProbeProfile } from '@/lib/xds/probe-choices';
import { ChoiceCards } from './choice-cards';
import { errorModelChoices, modeChoices, profileChoices } from './source-choices';

interface Mode {
  readonly mode: ProbeMode;
  readonly profile: ProbeProfile;
  readonly errorModel: ErrorModel;
}

interface ModeFieldsProps {
  readonly value: Mode;
  readonly onChange: (change: Partial<Mode>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

export function ModeFields({ value, onChange, errorAt }: ModeFieldsProps) {
  return (
    <>
      <ChoiceCards
        legend="Mode"
        name="mode"
        value={value.mode}
        choices={modeChoices}
        onChange={(mode) => onChange({ mode })}
      />
      <div className="grid gap-4 min-[30rem]:grid-cols-2">
        {value.mode === 'validate' && (
          <SelectField
            label="Client behavior"
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
