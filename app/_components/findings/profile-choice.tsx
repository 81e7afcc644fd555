'use client';

import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { type Profile, profiles } from '@/lib/validate/profile';
import { profileNames } from '@/lib/view-model/resolved/profile-choice';

const options = profiles.map((value) => ({ value, label: profileNames[value] }));

interface ProfileChoiceProps {
  readonly profile: Profile;
  readonly onChange: (profile: Profile) => void;
}

export function ProfileChoice({ profile, onChange }: ProfileChoiceProps) {
  return <SegmentedChoice label="Client behavior" value={profile} options={options} onChange={onChange} />;
}
